import {
  type CallTask,
  type ListenTask,
  type NextAttempt,
  type RunTask,
  type SleepTask,
  type TaskReply,
  type TimerCall,
  toAnswer,
} from '../../compiler/emit/task-protocol.ts';
import { isDetachable, isDetachableInTable, MIN_TIMER_MS } from '../../compiler/plan/execution.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Wait } from '../../domain/runs/waits.ts';
import { ownMember } from '../../language/own-members.ts';
import type { Ports } from '../../ports/ports.ts';
import { MINUTE_MS } from '../../time/units.ts';
import type { EnginePorts } from '../ports.ts';
import { type DelayedStep, stepLater } from './call-machines.ts';
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

/** The wait of a run that becomes detached: an event may end it at once. */
export function detachedWait({ id }: Pick<runs.Run, 'id'>, wait: Wait): Wait {
  const { listening, number } = wait;
  if (listening === undefined) return wait;
  return { ...wait, listening: { ...listening, token: tokenOf({ run: id, number }) } };
}

/** Names a wait of a run. */
interface WaitKey {
  readonly run: string;
  readonly number: number;
}

const TOKEN = /^wait\/([^/]+)\/(\d+)$/;

/** The token that stands for the task of a machine at a detached wait. */
export const tokenOf = ({ run, number }: WaitKey): string => `wait/${run}/${number}`;

/** The detached wait that a token stands for; undefined for the token of a task. */
export function waitOfToken(token: string): WaitKey | undefined {
  const [, run, number] = TOKEN.exec(token) ?? [];
  return run === undefined ? undefined : { run, number: Number(number) };
}

const resumeTask = ({ run, number }: WaitKey, output: object): RunTask => ({ run, resume: number, with: output });

/** The longest wait of an execution of the tier EXPRESS, which lasts five minutes, seconds. */
const MAX_SECONDS = 240;

/** The input with which the execution of a detached wait begins. The same for one wait, as the start may be repeated. */
export function inputOfDetached(run: runs.Run, { number, wake, calls, listening }: Wait): DelayedStep {
  const key = { run: run.id, number };
  const seconds = toWaitSeconds(wake - run.updated);
  const task = { run: run.id, token: tokenOf(key) };
  if (listening !== undefined) return { seconds: 0, step: { ...task, listen: number } satisfies ListenTask };
  const [call] = calls?.waiting ?? [];
  if (call === undefined) {
    if (seconds * 1000 >= MIN_TIMER_MS / 2) return { seconds: 0, step: { ...task, sleep: number } satisfies SleepTask };
    return { seconds, step: { ...resumeTask(key, {}), execution: runs.executionOf(run) } };
  }
  const { s = 0, ...attempt } = call;
  // A step sets a timer for a longer pause.
  if (s * 1000 >= MIN_TIMER_MS) return { seconds: 0, step: callTask(key, { ...call, seconds }) };
  return { seconds: s, step: callTask(key, { ...attempt, seconds }) };
}

const callTask = (key: WaitKey, call: CallTask['call']): CallTask => ({
  run: key.run,
  pause: key.number,
  call,
  alone: true,
  token: tokenOf(key),
});

/** Does what the machine of a task would do after a reply: makes a call again, or lets a step resume the run. */
export async function followReply(
  ports: Pick<EnginePorts, 'executions' | 'table' | 'clock'> & Partial<Pick<Ports, 'timers'>>,
  key: WaitKey,
  reply: TaskReply,
): Promise<void> {
  // The commit that left the wait has chosen how the run goes on.
  if (reply.reply === 'moved' || reply.reply === 'left') return;
  await stepLater(ports, key.run, stepAfter(key, reply, ports.timers !== undefined));
}

function stepAfter(key: WaitKey, reply: TaskReply, hadTimers: boolean): DelayedStep {
  if (reply.reply === 'retry') return attemptAfter(key, reply.next, hadTimers);
  if (reply.reply === 'rest') return { seconds: Math.min(reply.seconds, MAX_SECONDS), step: endOfTime(key) };
  const answer = toAnswer(reply);
  return { seconds: 0, step: resumeTask(key, 'error' in answer ? answer : {}) };
}

/** Another attempt. A step sets a timer for a long pause; where it could not, executions wait one after the other. */
function attemptAfter(key: WaitKey, { again, ...call }: NextAttempt, hadTimers: boolean): DelayedStep {
  const mayHaveTimer = !hadTimers && again * 1000 >= MIN_TIMER_MS;
  const seconds = mayHaveTimer ? 0 : Math.min(again, MAX_SECONDS);
  const s = again - seconds;
  return { seconds, step: callTask(key, s > 0 ? { ...call, s } : call) };
}

/** The call of a timer at the end of a detached wait. */
export const endOfTime = (key: WaitKey): TimerCall => ({ run: key.run, timer: key.number, token: tokenOf(key) });

/** What a run waits for has its own time, which is often over at the same moment: that end counts, milliseconds. */
const SLACK_MS = 5000;

/**
 * Sets the timer that ends a detached wait when its time is over. Returns false where there is none. If it is lost, the
 * reconciler ends the wait. Safe to repeat, and free.
 */
export async function limitWait(
  { timers }: Partial<Pick<Ports, 'timers'>>,
  run: Pick<runs.Run, 'id'> & { readonly wait: Wait },
): Promise<boolean> {
  const { number, wake, calls, listening } = run.wait;
  const isDelay = calls === undefined && listening === undefined;
  const name = `${run.id}.${number}.${isDelay ? 'end' : 'limit'}`;
  const at = isDelay ? wake : wake + SLACK_MS;
  return (await timers?.set({ name, at, input: endOfTime({ run: run.id, number }) })) ?? false;
}
