/**
 * `npm run durability -- [--rounds 500] [--seed S] [--sync full|normal]`: kills `npm start` under load again and again, and
 * cuts the power of a copy of its data each time. Ends with the figures, and with the exit code 1 if a write was lost or partial, or a run does not go on.
 */
import { parseArgs } from 'node:util';
import { type Figures, runRounds } from './rounds.ts';
import { damageLines, damageText } from './verification.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    sync: { type: 'string', default: 'full' },
  },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
const { sync } = values;
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error(`--rounds is '${values.rounds}'; it must be a number from 1`);
if (!Number.isInteger(seed)) throw new Error(`--seed is '${values.seed}'; it must be a whole number`);
if (sync !== 'full' && sync !== 'normal') throw new Error(`--sync is '${sync}'; it must be full or normal`);

const summaryOf = (counts: Figures): string =>
  [
    `${counts.kills} kills under load, ${counts.recoveryKills} during recovery, ${counts.powerCuts} power cuts`,
    `${counts.unflushed} unflushed frames and ${counts.torn} torn pages`,
    `${counts.acknowledged} acknowledged writes: ${damageText(counts)}`,
  ].join('; ');

// Without this, the process that is under test would outlive this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const PROGRESS = 10;
console.log(`${rounds} rounds, seed ${seed}, WEFT_SYNC=${sync}`);
const figures = await runRounds({
  ...{ rounds, seed, sync },
  onRound: (round, soFar) => {
    if (round % PROGRESS === 0) console.log(`round ${round}: ${summaryOf(soFar)}`);
  },
});
const lines = damageLines(figures);
for (const line of lines) console.log(line);
console.log(summaryOf(figures));
process.exitCode = lines.length === 0 ? 0 : 1;
