import type { CallTask, ListenTask, RunTask, SleepTask, TimerCall } from '../../compiler/emit/task-protocol.ts';
import { isDetachable, isDetachableInTable, MAX_SHORT_MS, MIN_TIMER_MS } from '../../compiler/plan/execution.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Wait } from '../../domain/runs/waits.ts';
import { ownMember } from '../../language/own-members.ts';
import type { Ports } from '../../ports/ports.ts';
import { MINUTE_MS } from '../../time/units.ts';
import type { EnginePorts } from '../ports.ts';
import type { DelayedStep } from './call-machines.ts';
import { inPlaceBudgetOf } from './in-place-budget.ts';
import { toWaitSeconds } from './wait-seconds.ts';

/*
 * A detached wait has no machine of its workflow: an EXPRESS execution of the machine `delayed-step` begins or ends it, and
 * what the run waits for resumes the run. It saves transitions, $25 a million each (docs/decisions/016-timers.md).
 */

/** A timer ends a wait late by up to two minutes: shorter limits are left to a machine, which is exact. */
const MIN_LIMIT_MS = 10 * MINUTE_MS;

/** Whether a run may stand at its wait without a machine of its workflow. It does not leave one for a wait that `waits` detaches. */
export function mayDetach(
  { settings, clock }: Pick<EnginePorts, 'settings' | 'clock'>,
  plan: Plan,
  { wait, machine, express }: Pick<runs.Run, 'wait' | 'machine' | 'express'>,
): boolean {
  const work = wait && ownMember(plan.states, wait.state)?.work;
  if (work === undefined || !wait?.isWaiting || inPlaceBudgetOf(settings) === 0) return false;
  const isInTable = settings.waits === 'table' && (machine === '' || express);
  if (!isDetachable(plan, work) && !(isInTable && isDetachableInTable(work))) return false;
  const isOfMany = wait.calls !== undefined && wait.calls.waiting.length !== 1;
  return work.do === 'sleep' || (!isOfMany && wait.wake - clock.now() >= MIN_LIMIT_MS);
}

/** Names a detached wait: the number of a wait of a run, and that of the execution with which it began. */
export interface DetachedWait {
  readonly run: string;
  readonly number: number;
  readonly executions: number;
}

const TOKEN = /^wait\/([^/]+)\/(\d+)\/(\d+)$/;

/** The token that stands for the task of a machine at a detached wait. */
export const tokenOf = ({ run, number, executions }: DetachedWait): string => `wait/${run}/${number}/${executions}`;

/** The detached wait that a token stands for; undefined for the token of a task. */
export function waitOfToken(token: string): DetachedWait | undefined {
  const [, run, number, executions] = TOKEN.exec(token) ?? [];
  return run === undefined ? undefined : { run, number: Number(number), executions: Number(executions) };
}

/** Whether a run stands at a detached wait. `isTakenOver`: there, but a later execution has begun. */
export function standsAt(
  run: runs.Run | undefined,
  { number, executions }: DetachedWait,
  isTakenOver = false,
): boolean {
  const isThere = run?.status === 'pending' && run.wait?.isWaiting === true && run.wait.number === number;
  return isThere && (run.executions === executions) !== isTakenOver;
}

/** The detached wait at which a run stands. */
export const waitOf = ({ id, executions }: Pick<runs.Run, 'id' | 'executions'>, { number }: Wait): DetachedWait => ({
  run: id,
  number,
  executions,
});

/** The wait of a run that becomes detached: an event may end it at once. */
export function detachedWait(run: Pick<runs.Run, 'id' | 'executions'>, wait: Wait): Wait {
  const { listening } = wait;
  if (listening === undefined) return wait;
  return { ...wait, listening: { ...listening, token: tokenOf(waitOf(run, wait)) } };
}

/** The task that resumes a run at the end of a detached wait. */
export const resumeTask = ({ run, number, executions }: DetachedWait, output: object): RunTask => ({
  run,
  resume: number,
  with: output,
  execution: runs.executionOf({ id: run, executions }),
});

/** The longest wait of an execution of the tier EXPRESS, which lasts five minutes, seconds. */
export const MAX_SECONDS = 240;

/** The input with which the execution of a detached wait begins. The same for one wait, as the start may be repeated. */
export function inputOfDetached(run: runs.Run, wait: Wait): DelayedStep {
  const { number, wake, calls, listening } = wait;
  const key = waitOf(run, wait);
  const seconds = toWaitSeconds(wake - Math.max(run.updated, run.executionBegan));
  const task = { run: run.id, token: tokenOf(key) };
  if (listening !== undefined) return { seconds: 0, step: { ...task, listen: number } satisfies ListenTask };
  const [call] = calls?.waiting ?? [];
  if (call === undefined) {
    if (seconds * 1000 > MAX_SHORT_MS) return { seconds: 0, step: { ...task, sleep: number } satisfies SleepTask };
    return { seconds, step: resumeTask(key, {}) };
  }
  const { s = 0, ...attempt } = call;
  // A step sets a timer for a longer pause.
  if (s * 1000 >= MIN_TIMER_MS) return { seconds: 0, step: callTask(key, { ...call, seconds }) };
  return { seconds: s, step: callTask(key, { ...attempt, seconds }) };
}

/** The task that makes the call of a detached wait. */
export const callTask = (key: DetachedWait, call: CallTask['call']): CallTask => ({
  run: key.run,
  pause: key.number,
  call,
  alone: true,
  token: tokenOf(key),
});

/** The call of a timer at the end of a detached wait. */
export const endOfTime = (key: DetachedWait): TimerCall => ({ run: key.run, timer: key.number, token: tokenOf(key) });

/** What a run waits for has its own time, which is often over at the same moment: that end counts, milliseconds. */
const SLACK_MS = 5000;

/**
 * Sets the timer that ends a detached wait when its time is over. Returns false where there is none. If it is lost, the
 * reconciler ends the wait. Safe to repeat, and free.
 */
export async function limitWait(
  { timers, clock }: Pick<Ports, 'clock'> & Partial<Pick<Ports, 'timers'>>,
  run: Pick<runs.Run, 'id' | 'executions'> & { readonly wait: Wait },
): Promise<boolean> {
  const { number, wake, calls, listening } = run.wait;
  const isDelay = calls === undefined && listening === undefined;
  const name = `${run.id}.${number}.${run.executions}.${isDelay ? 'end' : 'limit'}`;
  const at = Math.max(clock.now(), isDelay ? wake : wake + SLACK_MS);
  return (await timers?.set({ name, at, input: endOfTime(waitOf(run, run.wait)) })) ?? false;
}
