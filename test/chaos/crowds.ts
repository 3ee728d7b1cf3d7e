import { CROWDS, type CrowdResult, tryCrowd } from '../engine/admission/crowds/crowd.ts';
import { openDatabase } from '../engine/world/engine-world.ts';
import { KILLED_CROWDS, tryKilledCrowd } from './killed-crowds.ts';
import type { ModeOptions, Verdict } from './modes.ts';

const STARTS = 1000;

/** A round of a crowd, by its seed. */
type Round = (seed: number) => Promise<CrowdResult>;

/** Real processes are slow: of so many rounds, they have one. */
const ROUNDS_OF_KILLED = 5;

async function roundsOf(name: string, round: Round, { rounds, seed, print }: ModeOptions): Promise<Verdict> {
  const failures: string[] = [];
  const began = performance.now();
  let [kills, most] = [0, 0];
  for (let number = 0; number < rounds; number += 1) {
    const result = await round(seed + number);
    kills += result.kills;
    most = Math.max(most, result.most);
    if (result.wrong.length > 0)
      failures.push(`${name}, seed ${seed + number}: ${result.wrong.slice(0, 5).join('; ')}`);
  }
  const seconds = ((performance.now() - began) / 1000 / rounds).toFixed(1);
  print(
    `${name}: ${rounds} rounds, ${kills} crashes, at most ${most} at work, ${failures.length} wrong, ${seconds} s each`,
  );
  return { passed: rounds - failures.length, failures };
}

/**
 * Starts 1,000 runs at once under each kind of limit, in simulated processes that crash, and, in one round of five, some in real ones
 * that are killed. A round has a seed of its own.
 */
export async function crowds(options: ModeOptions): Promise<Verdict> {
  const isWanted = (name: string): boolean => options.only?.includes(name) ?? true;
  const database = await openDatabase();
  const verdicts: Verdict[] = [];
  const { error } = console;
  // Crashed processes report the work that failed.
  console.error = () => undefined;
  try {
    for (const crowd of CROWDS.filter(({ name }) => isWanted(name))) {
      const round: Round = (seed) => tryCrowd(database, crowd, { starts: STARTS, seed });
      verdicts.push(await roundsOf(crowd.name, round, options));
    }
  } finally {
    console.error = error;
    await database.close();
  }
  const rounds = Math.ceil(options.rounds / ROUNDS_OF_KILLED);
  for (const name of KILLED_CROWDS.filter(isWanted)) {
    verdicts.push(await roundsOf(name, (seed) => tryKilledCrowd(name, seed), { ...options, rounds }));
  }
  return {
    passed: verdicts.reduce((sum, { passed }) => sum + passed, 0),
    failures: verdicts.flatMap(({ failures }) => failures),
  };
}
