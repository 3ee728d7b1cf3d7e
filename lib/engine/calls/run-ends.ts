import type { Run } from '../../domain/runs/runs.ts';
import type { Parent } from '../../domain/runs/waits.ts';
import type { Answer } from '../../ports/executions.ts';
import { TASK_ERROR } from '../executions/task-errors.ts';
import { toWaitSeconds } from '../executions/wait-seconds.ts';
import type { EnginePorts } from '../ports.ts';
import { notifyEnd } from '../run/end-waiters.ts';
import { decideRetry } from './retry-decisions.ts';

type Needs = Pick<EnginePorts, 'executions' | 'settings' | 'clock'>;

const errorAnswer = (error: string, call: object): Answer => ({ error, cause: JSON.stringify(call) });

/** A machine repeats a call by itself when it gets `again`, the seconds until the retry. */
function failedAnswer({ settings, clock }: Needs, run: Run, { i, k, mode, retries, until }: Parent): Answer {
  const decision = decideRetry(run, retries, k, settings.brand);
  if (decision.kind === 'retry') {
    const seconds = Math.max(toWaitSeconds(until - clock.now() - decision.delay), 1);
    return { output: { i, k: k + 1, again: toWaitSeconds(decision.delay), seconds } };
  }
  const exceeded = decision.kind === 'exhausted' ? { exceeded: true } : {};
  if (mode !== 'and') return { output: { i, k, failed: true, ...exceeded } };
  return errorAnswer(TASK_ERROR.callFailed, { i, k, ...exceeded });
}

function answerOf(needs: Needs, run: Run, parent: Parent): Answer {
  const { i, k, mode } = parent;
  if (run.status !== 'complete') return failedAnswer(needs, run, parent);
  return mode === 'or' ? errorAnswer(TASK_ERROR.callWon, { i, k }) : { output: { i, k } };
}

/**
 * Reports the end of a run: to the waiters of this process, and to the task of its caller's machine, which then resumes
 * the caller. Safe to repeat: the first answer to a task counts. Returns the run.
 */
export async function announceEnd(ports: Needs, run: Run): Promise<Run> {
  notifyEnd(run.id);
  const { parent } = run;
  if (parent !== undefined && parent.token !== '') {
    await ports.executions.answer(parent.token, answerOf(ports, run, parent));
  }
  return run;
}
