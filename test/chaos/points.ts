import { tryCrashPoints, type WrongPoint } from '../engine/recovery/crash-points.ts';
import { workloads } from '../engine/recovery/workloads.ts';
import { openDatabase } from '../engine/world/engine-world.ts';
import type { ModeOptions, Verdict } from './modes.ts';

function textOf({ crash, open, found, expected }: WrongPoint): string {
  const place = crash === undefined ? 'without a crash' : `crashed ${crash.when} operation ${crash.at}`;
  const left =
    open.length > 0 ? open.join('; ') : `${JSON.stringify(found)} is stored, not ${JSON.stringify(expected)}`;
  return `${place}: ${left}`;
}

/** Tries every crash point of every workload, in simulated processes over real tables. */
export async function points({ print }: ModeOptions): Promise<Verdict> {
  const database = await openDatabase();
  const failures: string[] = [];
  let passed = 0;
  const { error } = console;
  // Crashed processes report what they could not do.
  console.error = () => undefined;
  try {
    for (const workload of workloads) {
      const { points: tried, wrong } = await tryCrashPoints(database, workload, true);
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
