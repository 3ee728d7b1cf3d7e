import { randomFrom } from '../durability/random.ts';
import { tryCrashPoints, tryPairs, type WrongPoint } from '../engine/recovery/crash-points.ts';
import { workloads } from '../engine/recovery/workloads.ts';
import { openDatabase } from '../engine/world/engine-world.ts';
import type { ModeOptions, Verdict } from './modes.ts';

function textOf({ crash, second, open, found, expected }: WrongPoint): string {
  const place = crash === undefined ? 'without a crash' : `crashed ${crash.when} operation ${crash.at}`;
  const again = second === undefined ? '' : `, and again ${second.when} operation ${second.at} of the recovery`;
  const left =
    open.length > 0 ? open.join('; ') : `${JSON.stringify(found)} is stored, not ${JSON.stringify(expected)}`;
  return `${place}${again}: ${left}`;
}

/**
 * Tries every crash point of every workload, in simulated processes over real tables; then, of each workload, as many
 * random crash points as there are rounds, with a second crash during the recovery.
 */
export async function points({ rounds, seed, print }: ModeOptions): Promise<Verdict> {
  const database = await openDatabase();
  const failures: string[] = [];
  let passed = 0;
  const { error } = console;
  // Crashed processes report the work that failed.
  console.error = () => undefined;
  try {
    for (const workload of workloads) {
      const all = await tryCrashPoints(database, workload, 'both sides');
      const pairs = await tryPairs(database, workload, rounds, randomFrom(seed));
      const tried = all.points + pairs.points;
      const wrong = [...all.wrong, ...pairs.wrong];
      failures.push(...wrong.map((one) => `${workload.name}, ${textOf(one)}`));
      passed += tried - wrong.length;
      print(`${workload.name}: ${tried} crash points, ${wrong.length} wrong`);
    }
  } finally {
    console.error = error;
    await database.close();
  }
  return { passed, failures };
}
