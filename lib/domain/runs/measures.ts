import type { Happened, Measure } from '../../ports/telemetry/meter.ts';
import type { Call, Status, WorkflowRun } from './run.ts';

const ENDED: Readonly<Record<Exclude<Status, 'pending'>, Measure>> = {
  complete: 'RunsComplete',
  failed: 'RunsFailed',
  crashed: 'RunsCrashed',
};

type Committed = Pick<WorkflowRun, 'seq' | 'status' | 'created' | 'updated'>;

const beginningOf = ({ seq }: Committed): Happened => (seq === 1 ? { RunsStarted: 1 } : {});

function endingOf({ status, created, updated }: Committed): Happened {
  return status === 'pending' ? {} : { [ENDED[status]]: 1, RunMilliseconds: Math.max(updated - created, 0) };
}

/** The metrics of a call of a container, which is stored as a run and not counted as one. */
function callOf({ status, callee }: Call): Happened {
  if (status === 'pending' || callee.kind !== 'container') return {};
  return { ContainerCalls: 1, ...(status === 'complete' ? {} : { ContainerCallsFailed: 1 }) };
}

/** Returns the metrics that the commit of a run increments; undefined: none. */
export function measuresOf(run: (Committed & { readonly kind: 'workflow' }) | Call): Happened | undefined {
  const happened = run.kind === 'workflow' ? { ...beginningOf(run), ...endingOf(run) } : callOf(run);
  return Object.keys(happened).length === 0 ? undefined : happened;
}
