import * as runs from '../../domain/runs/runs.ts';
import { CRASH_MESSAGE, INTERNAL } from '../evaluation/failures.ts';
import type { CleanupPorts, EnginePorts } from '../ports.ts';
import { UnitOfWork } from '../run/unit-of-work.ts';
import { completeEnd } from './carrying.ts';

/** An execution that did not end well. */
export interface EndedExecution {
  /** Its name: the instance's id, and a number after it from the second execution on. */
  readonly name: string;
  readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly error: string;
  readonly cause: string;
}

const ID_LENGTH = 36;

/** The id of the run that an execution of that name carries. */
export const runOf = (execution: string): string => execution.slice(0, ID_LENGTH);

/**
 * Handles the end of an execution. A run that has not ended is then carried by nothing (the execution was aborted, hit a
 * limit, or its step failed permanently), so it ends as crashed, with all that it waits for. Safe to repeat, and finishes
 * what was interrupted. An execution that does not carry its run any more is ignored.
 */
export async function onExecutionEnd(ports: CleanupPorts, ended: EndedExecution): Promise<void> {
  const isCarrying = (run: runs.Run) => runs.executionOf(run) === ended.name;
  const found = await runs.find(ports, runOf(ended.name));
  if (found === undefined || !isCarrying(found)) return;
  const { run } = await runs.update(ports, found, async (current) =>
    isCarrying(current) && current.status === 'pending' ? crash(ports, current, ended) : undefined,
  );
  if (isCarrying(run)) await completeEnd(ports, run);
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
