/**
 * `npm run chaos -- [--rounds 40] [--seed S] [--longest 5] [--kills] [--points] [--faults]`: disturbs the service and checks that nothing is stuck,
 * lost, doubled or crashed. Without the name of a mode it runs the usual ones. Ends with the line `N passed, N failed`.
 */
import { parseArgs } from 'node:util';
import { MODES, type ModeName } from './modes.ts';

const NAMES = Object.keys(MODES) as ModeName[];
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    longest: { type: 'string', default: '5' },
    ...Object.fromEntries(NAMES.map((name) => [name, { type: 'boolean' } as const])),
  },
});
const [rounds, seed, longest] = [Number(values.rounds), Number(values.seed), Number(values.longest)];
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error(`--rounds is '${values.rounds}'; it must be a number from 1`);
if (!Number.isInteger(seed)) throw new Error(`--seed is '${values.seed}'; it must be a whole number`);

if (!(longest >= 1)) throw new Error(`--longest is '${values.longest}'; it must be a number of seconds from 1`);

// Without this, a process that is under test would outlive this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const chosen = NAMES.filter((name) => (values as Readonly<Record<string, unknown>>)[name] === true);
const failures: string[] = [];
let passed = 0;
for (const name of chosen.length > 0 ? chosen : NAMES.filter((one) => MODES[one].isUsual)) {
  console.log(`${name}: ${rounds} rounds, seed ${seed}`);
  const verdict = await MODES[name].run({ rounds, seed, longest, print: (line) => console.log(`${name}: ${line}`) });
  passed += verdict.passed;
  failures.push(...verdict.failures.map((failure) => `${name}: ${failure}`));
}
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
