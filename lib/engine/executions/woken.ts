import type { Run } from '../../domain/runs/runs.ts';
import type { Answer } from '../../ports/executions.ts';
import type { EnginePorts } from '../ports.ts';
import { shouldContinueAsNew } from './continue-as-new.ts';
import { END, outcomeOfWait } from './outcomes.ts';
import { TASK_ERROR } from './task-errors.ts';

/** Ends the tasks of the wait that a run has left where it was woken. Safe to repeat. */
export async function endWokenTasks({ executions, clock }: EnginePorts, run: Run): Promise<void> {
  for (const token of run.woken?.tokens ?? []) await executions.answer(token, answerOfWoken(run, clock.now()));
}

/** Where the machine goes; an error leads it to the step after the wait, which sees to the rest. */
export function answerOfWoken(run: Run, now: number): Answer {
  const { status, wait } = run;
  if (status === 'complete') return { output: END };
  const mayGoTo = status === 'pending' && wait?.isWaiting === true && !shouldContinueAsNew(run);
  return mayGoTo ? { output: outcomeOfWait(wait, now) } : { error: TASK_ERROR.heard, cause: '' };
}
