import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';

// Optimized code does not count the functions that it contains.
for (const flag of ['--no-turbofan', '--no-maglev', '--no-sparkplug', '--no-flush-bytecode']) setFlagsFromString(flag);

/**
 * The number of operations of a task: how often V8 entered a function, a branch or the body of a loop. The same task has
 * the same number on every machine, unlike its time. What is done in native code, such as sorting, counts as one.
 */
export async function countOperations(task: () => void): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    task();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ranges = result.flatMap(({ functions }) => functions.flatMap((one) => one.ranges));
    return ranges.reduce((sum, { count }) => sum + count, 0);
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}
