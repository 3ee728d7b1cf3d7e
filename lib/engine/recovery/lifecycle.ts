import { isTransient } from '../../compiler/emit/task-protocol.ts';
import * as runs from '../../domain/runs/runs.ts';
import { EXECUTION_LOST, SERVICE_REMOVED } from '../../ports/executions.ts';
import { DAY_MS } from '../../time/units.ts';
import { CRASH_MESSAGE, INTERNAL } from '../evaluation/failures.ts';
import { continueAsNew } from '../machines/continue-as-new.ts';
import type { CleanupPorts, EnginePorts } from '../ports.ts';
import { UnitOfWork } from '../run/commit/unit-of-work.ts';
import { deliverEnd } from './unattended-runs.ts';

/** An execution that did not end well. */
export interface EndedExecution {
  /** Its name: the instance's id, and a number after it from the second execution on. */
  readonly name: string;
  readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly error: string;
  readonly cause: string;
}

const ID_LENGTH = 36;

/** The id of the run that an execution of that name drives. */
export const runOf = (execution: string): string => execution.slice(0, ID_LENGTH);

/** A run without progress for this long is ended, although only the service is at fault. */
const PATIENCE_MS = DAY_MS;

/** Whether the end of its execution is no fault of the run: the service was at fault, or the tier's limit is short. */
function mayContinue(run: runs.Run, { status, error }: EndedExecution, now: number): boolean {
  const isOurs = isTransient(error) || error === EXECUTION_LOST || (run.express && status === 'TIMED_OUT');
  return (
    run.status === 'pending' &&
    run.kind === 'workflow' &&
    isOurs &&
    now - Math.max(run.updated, run.wait?.wake ?? 0) < PATIENCE_MS
  );
}

/**
 * Handles the end of an execution. A run that has not ended has no execution then (it was aborted, hit a limit, or its
 * step failed permanently), so it ends as crashed, with all that it waits for; if only the service was at fault, it
 * continues in a new execution instead. Safe to repeat: it finishes interrupted work. Ignores an execution that does
 * not drive its run any more, and one that was stopped with the service.
 */
export async function onExecutionEnd(ports: CleanupPorts, ended: EndedExecution): Promise<void> {
  const isCarrying = (run: runs.Run) => runs.executionOf(run) === ended.name;
  const found = await runs.find(ports, runOf(ended.name));
  if (found === undefined || !isCarrying(found) || ended.error === SERVICE_REMOVED) return;
  if (mayContinue(found, ended, ports.clock.now())) return continueAsNew(ports, found);
  const { run } = await runs.update(ports, found, async (current) =>
    isCarrying(current) && current.status === 'pending' ? crash(ports, current, ended) : undefined,
  );
  if (isCarrying(run)) await deliverEnd(ports, run);
}

function crash(
  ports: EnginePorts,
  run: runs.Run,
  { status, error, cause }: EndedExecution,
): Promise<Required<runs.Change>> {
  const unit = new UnitOfWork(ports, run);
  unit.log(`Instance failed with uncatchable error: ${status} ${error}: ${cause}`, 'error');
  return unit.prepareCommit({ status: 'crashed', code: unit.branded(INTERNAL), message: CRASH_MESSAGE });
}
