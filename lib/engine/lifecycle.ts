import * as runs from '../domain/runs.ts';
import { Conflict } from '../ports.ts';
import { Draft, type EnginePorts } from './draft.ts';
import { conclude } from './endings.ts';
import { CRASH_MESSAGE, INTERNAL } from './failures.ts';

/** An execution that came to an end by itself or by somebody's hand. */
export interface EndedExecution {
  /** Its name: the instance's id, and a number after it if the run had executions before. */
  readonly name: string;
  readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly error: string;
  readonly cause: string;
}

const ID_LENGTH = 36;

const nameOf = ({ id, executions }: runs.Run): string => (executions > 1 ? `${id}-${executions}` : id);

/**
 * Takes note that a run's execution is over. If the run is not (the execution was aborted, hit a limit, or its step
 * failed for good), nobody works on it any more, so it ends as crashed. Safe to repeat; other executions are ignored.
 */
export async function noteEnd(ports: EnginePorts, ended: EndedExecution): Promise<void> {
  for (;;) {
    const run = await runs.find(ports, ended.name.slice(0, ID_LENGTH));
    if (run?.status !== 'pending' || nameOf(run) !== ended.name) return;
    const draft = new Draft(ports, run);
    draft.log(`Instance failed with uncatchable error: ${ended.status} ${ended.error}: ${ended.cause}`, 'error');
    const code = draft.branded(INTERNAL);
    const settled = await draft.settle({ status: 'crashed', code, message: CRASH_MESSAGE });
    try {
      await conclude(ports, await runs.commit(ports, settled.run, settled.writes));
      return;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
}
