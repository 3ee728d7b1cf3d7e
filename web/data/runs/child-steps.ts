import type { InstanceRecord } from '../../../clients/api/operations.ts';
import { instantOf } from '../format/time.ts';
import type { Step } from './steps.ts';

/** The child runs of each step by its number: from its log lines, else by the time of their start. */
export function childrenBySteps(
  steps: readonly Step[],
  runs: readonly InstanceRecord[],
): ReadonlyMap<number, readonly InstanceRecord[]> {
  const callers = steps.filter(({ startsRuns }) => startsRuns);
  const named = new Map(callers.flatMap((step) => step.children.map((id) => [id, step] as const)));
  const stepOf = (run: InstanceRecord): Step | undefined => {
    const began = instantOf(run.createdAt);
    return named.get(run.id) ?? callers.findLast(({ from }) => from <= began);
  };
  const found = new Map<number, InstanceRecord[]>();
  for (const run of runs) {
    const number = stepOf(run)?.number;
    if (number !== undefined) found.set(number, [...(found.get(number) ?? []), run]);
  }
  return found;
}
