import * as runs from '../../domain/runs/runs.ts';
import { ConflictError } from '../../ports/table.ts';
import { cancelCalls } from '../calls/cancel.ts';
import { CRASH_MESSAGE, INTERNAL } from '../evaluation/failures.ts';
import type { EnginePorts, KeeperPorts } from '../ports.ts';
import { conclude } from '../run/endings.ts';
import { sendAll } from '../run/outbox.ts';
import { Draft } from '../run/unit-of-work.ts';

/** An execution that came to an end by itself or by somebody's hand. */
export interface EndedExecution {
  /** Its name: the instance's id, and a number after it if the run had executions before. */
  readonly name: string;
  readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly error: string;
  readonly cause: string;
}

const ID_LENGTH = 36;

/** The id of the run that an execution of that name works on. */
export const runOf = (execution: string): string => execution.slice(0, ID_LENGTH);

/** A run that its own step ended needs nothing more; one that was ended from outside may have left something open. */
const isDone = ({ status, pause }: runs.Run): boolean =>
  status === 'complete' || (status === 'failed' && pause === undefined);

async function crash(ports: EnginePorts, run: runs.Run, { status, error, cause }: EndedExecution): Promise<runs.Run> {
  const draft = new Draft(ports, run);
  draft.log(`Instance failed with uncatchable error: ${status} ${error}: ${cause}`, 'error');
  const code = draft.branded(INTERNAL);
  const settled = await draft.settle({ status: 'crashed', code, message: CRASH_MESSAGE });
  return runs.commit(ports, settled.run, settled.writes);
}

/**
 * Takes note that a run's execution is over. If the run is not (the execution was aborted, hit a limit, or its step
 * failed for good), nobody works on it any more, so it ends as crashed, with all that it waits for. Safe to repeat, also
 * to finish what was cut short; other executions are ignored.
 */
export async function noteEnd(ports: KeeperPorts, ended: EndedExecution): Promise<void> {
  for (;;) {
    const run = await runs.find(ports, runOf(ended.name));
    if (run === undefined || runs.executionOf(run) !== ended.name || isDone(run)) return;
    try {
      const over = run.status === 'pending' ? await crash(ports, run, ended) : run;
      await sendAll(ports, over);
      await cancelCalls(ports, over);
      await conclude(ports, over);
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
