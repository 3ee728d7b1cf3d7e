import type { Run } from '../../domain/runs/runs.ts';
import type { CallKey, Parent } from '../../domain/runs/waits.ts';
import type { Answer } from '../../ports/executions.ts';
import { TASK_ERROR } from '../executions/task-errors.ts';
import { toWaitSeconds } from '../executions/wait-seconds.ts';
import type { EnginePorts } from '../ports.ts';
import { notifyEnd } from '../run/end-waiters.ts';
import type { ResumeSignal, ReturnedCall } from '../run/suspension.ts';
import { decideRetry } from './retry-decisions.ts';

type Needs = Pick<EnginePorts, 'executions' | 'settings' | 'clock'>;

const errorAnswer = (error: string, call: object): Answer => ({ error, cause: JSON.stringify(call) });

/** A call that the machine is to repeat by itself. */
interface Repetition extends CallKey {
  /** Seconds until the call. */
  readonly again: number;
  /** How long the call may last, seconds. */
  readonly seconds: number;
}

/** The answer by which the machine repeats a call; `isAlone`: it is the only call of its state. */
export const answerRetry = (call: Repetition, isAlone: boolean): Answer =>
  isAlone ? errorAnswer(TASK_ERROR.retry, call) : { output: call };

/** The attempt that follows a failed one, and the pause before it in milliseconds; undefined if none follows. */
export function repetitionOf(
  { settings }: Pick<Needs, 'settings'>,
  run: Run,
): (CallKey & { readonly delay: number }) | undefined {
  const { parent, status } = run;
  if (parent === undefined || status === 'pending' || status === 'complete') return undefined;
  const decision = decideRetry(run, parent.retries, parent.k, settings.brand);
  return decision.kind === 'retry' ? { i: parent.i, k: parent.k + 1, delay: decision.delay } : undefined;
}

function failedAnswer({ settings, clock }: Needs, run: Run, { i, k, mode, retries, until, isAlone }: Parent): Answer {
  const decision = decideRetry(run, retries, k, settings.brand);
  if (decision.kind === 'retry') {
    const seconds = Math.max(toWaitSeconds(until - clock.now() - decision.delay), 1);
    return answerRetry({ i, k: k + 1, again: toWaitSeconds(decision.delay), seconds }, isAlone === true);
  }
  const exceeded = decision.kind === 'exhausted' ? { exceeded: true } : {};
  if (mode !== 'and') return { output: { i, k, failed: true, ...exceeded } };
  return errorAnswer(TASK_ERROR.callFailed, { i, k, ...exceeded });
}

function answerOf(needs: Needs, run: Run, parent: Parent): Answer {
  const { i, k, mode, isAlone } = parent;
  if (run.status !== 'complete') return failedAnswer(needs, run, parent);
  if (isAlone === true) return errorAnswer(TASK_ERROR.returned, { i, k });
  return mode === 'or' ? errorAnswer(TASK_ERROR.callWon, { i, k }) : { output: { i, k } };
}

/**
 * Returns the signal by which the end of a run resumes its caller, whose state makes this call only; undefined where
 * the call is repeated, or the state makes several.
 */
export function signalOf(needs: Needs, run: Run): ResumeSignal | undefined {
  const { parent } = run;
  if (parent?.isAlone !== true || run.status === 'pending') return undefined;
  const { i, k } = parent;
  if (run.status === 'complete') return { kind: 'callsReturned', calls: [{ i, k }] };
  const answer = failedAnswer(needs, run, parent);
  const isDecided = 'error' in answer && answer.error === TASK_ERROR.callFailed;
  return isDecided ? { kind: 'callDecided', call: JSON.parse(answer.cause) as ReturnedCall } : undefined;
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
