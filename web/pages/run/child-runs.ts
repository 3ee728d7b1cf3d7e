import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { InstanceRecord } from '../../../clients/api/operations.ts';
import { count } from '../../data/format/text.ts';
import { instantOf } from '../../data/format/time.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { childrenBySteps } from '../../data/runs/child-steps.ts';
import { type Children, useChildren } from '../../data/runs/children.ts';
import { isOver, statusOf } from '../../data/runs/status.ts';
import type { Step } from '../../data/runs/steps.ts';
import type { TimelineChild, TimelineChildren } from '../../parts/timeline/lanes.ts';

/** Up to this number, child runs are shown at once. */
const FEW = 12;

const toChild = (namespace: string, run: InstanceRecord): TimelineChild => ({
  id: run.id,
  name: run.as,
  href: addresses.run(namespace, run.id),
  status: statusOf(run),
  from: instantOf(run.createdAt),
  to: isOver(run) ? instantOf(run.updatedAt) : undefined,
});

/** The remark below the runs of a step. */
function remarkOf(
  namespace: string,
  parent: InstanceRecord,
  { runs, isPart, isRead, error }: Children,
  isEmpty: boolean,
) {
  const href = addresses.runs(namespace, { trigger: `instance:${parent.id}` });
  if (error !== undefined) return { text: `The child runs cannot be listed: ${error.message}` };
  if (isPart) return { text: `The first ${count(runs.length, 'child run')} of the run; all of them`, href };
  return isEmpty ? { text: isRead ? 'No child runs' : 'Looking for child runs …' } : undefined;
}

/**
 * The child runs in the timeline of a run. A few that the log names are shown at once; others are requested when the user
 * opens their step, because listing them costs more.
 */
export function useChildRuns(namespace: string, parent: InstanceRecord, steps: readonly Step[]): TimelineChildren {
  const folded = useSignal<ReadonlyMap<number, boolean>>(new Map());
  const callers = steps.filter(({ startsRuns }) => startsRuns);
  const isFew = callers.reduce((sum, { children }) => sum + children.length, 0) <= FEW;
  const isOpen = ({ number, children }: Step): boolean =>
    !(folded.value.get(number) ?? !(isFew && children.length > 0));
  const shown = callers.filter(isOpen);
  const isAll = shown.some(({ children }) => children.length === 0 || !isFew);
  const ids = isAll ? [] : shown.flatMap(({ children }) => children);
  const found = useChildren(namespace, parent, { ids, isAll }).value;
  return useMemo(() => {
    const runs = [...childrenBySteps(steps, found.runs)];
    const of = new Map(runs.map(([number, list]) => [number, list.map((run) => toChild(namespace, run))]));
    const onFold = (step: Step) => {
      folded.value = new Map([...folded.peek(), [step.number, isOpen(step)]]);
    };
    const remark = ({ number }: Step) => remarkOf(namespace, parent, found, of.get(number) === undefined);
    return { of, isOpen, onFold, remark };
  }, [namespace, parent, steps, found, folded.value]);
}
