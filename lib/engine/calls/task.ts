import type { ActionPlan, Plan, StatePlan, Work } from '../../compiler/plan/plan.ts';
import * as runs from '../../domain/runs/runs.ts';
import { type CallMode, callerWith, type HoldingTask, type Wait, type WaitingCall } from '../../domain/runs/waits.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { noteBegin, serve } from '../containers/serving.ts';
import { internalFailure, StateError } from '../evaluation/failures.ts';
import { secretReader } from '../evaluation/secrets.ts';
import { onAccountOf } from '../evaluation/tenants.ts';
import { firstExecution, startOrMove } from '../executions/handles.ts';
import { TASK_ERROR } from '../executions/task-errors.ts';
import { isCarried } from '../native/carrying.ts';
import type { CleanupPorts, EnginePorts, RunnerPorts } from '../ports.ts';
import type { RunInPlace } from '../run/step-unit.ts';
import { rejectionOf } from '../run/suspension.ts';
import { isTask, offer, type Task } from '../workers/offering.ts';
import { openCallee } from './callees.ts';
import { BY_PARENT, cancel } from './cancellation.ts';
import { type Call, childId, launch, newChild, storeChild } from './children.ts';
import { elementAt, elementsOf } from './elements.ts';
import { evaluateCallInput } from './inputs.ts';
import { answerRetry } from './run-ends.ts';

/** The task of a machine that makes one call of a waiting run; it ends when the call does. */
export interface CallTask extends HoldingTask {
  readonly run: string;
  /** The number of the wait. */
  readonly pause: number;
  readonly call: WaitingCall & { readonly seconds: number };
}

type Report = (ports: RunnerPorts, ended: runs.Run) => Promise<runs.Run>;

/** The functions of the steps of runs that a call needs. */
export interface CallSteps {
  readonly runInPlace: RunInPlace;
  /** Reports the end of a child to its caller. */
  readonly reportEnd: Report;
  /** The same for an end that another process may have reported. */
  readonly reportEndAgain: Report;
}

/** A child has this long within the task, until it ends or waits. */
const IN_PLACE_MS = 2_000;

type WaitingRun = runs.Run & { readonly wait: Wait };

/**
 * Makes one call for a machine; the end of the call answers the task. Safe to repeat. A call that must not be made is
 * answered at once: the caller has left the wait, its time is over, or the attempt comes later.
 */
export async function makeCall(ports: RunnerPorts, task: CallTask, steps: CallSteps): Promise<void> {
  const caller = await findCaller(ports, task);
  if (caller === undefined) return answerError(ports, task, TASK_ERROR.left);
  const timeLeft = caller.wait.wake - ports.clock.now();
  if (timeLeft <= 0) return answerError(ports, task, TASK_ERROR.timedOut);
  if (task.call.s !== undefined) return answerRetryLater(ports, caller, task, task.call.s);
  try {
    await onAccountOf({ id: caller.namespaceId }, () => begin(ports, caller, task, steps));
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    await answerError(ports, task, TASK_ERROR.callRejected, JSON.stringify(rejectionOf(error)));
  }
}

/** The caller, if it still waits at the wait that the machine means. */
async function findCaller(ports: EnginePorts, { run: id, pause: number }: CallTask): Promise<WaitingRun | undefined> {
  const run = await runs.find(ports, id);
  const isWaiting = run?.status === 'pending' && run.wait?.isWaiting === true && run.wait.number === number;
  return isWaiting ? (run as WaitingRun) : undefined;
}

async function answerError(ports: EnginePorts, { token }: CallTask, error: string, cause = ''): Promise<void> {
  await ports.executions.answer(token, { error, cause });
}

/** The machine waits for `delay` seconds and makes the call then. */
async function answerRetryLater(ports: EnginePorts, caller: WaitingRun, task: CallTask, delay: number): Promise<void> {
  const timeLeft = caller.wait.wake - ports.clock.now();
  const { i, k } = task.call;
  const seconds = Math.max(Math.ceil(timeLeft / 1000) - delay, 1);
  const answer = answerRetry({ i, k, again: delay, seconds }, task.alone === true);
  await ports.executions.answer(task.token, answer);
}

/** Makes the call, or takes up the child that an earlier task of the same call made. */
async function begin(ports: RunnerPorts, caller: WaitingRun, task: CallTask, steps: CallSteps): Promise<void> {
  const stored = await runs.find(ports, childId(caller, caller.wait.origin, task.call));
  if (stored?.service !== undefined) return serveChild(ports, stored, task, steps);
  if (stored !== undefined) return beginStored(ports, stored, task, steps);
  const call = await prepareCall(ports, caller, task);
  const child = await newChild(ports, call);
  if (call.callee.kind !== 'subflow') return serveNew(ports, task, child, steps);
  return beginHere(ports, child, task, steps);
}

/** Begins a child that is stored for this call, or takes it up where it stands. */
async function beginStored(ports: RunnerPorts, child: runs.Run, task: CallTask, steps: CallSteps): Promise<void> {
  const { parent } = child;
  const isUnbegun = child.status === 'pending' && child.machine === '' && child.step === 0;
  if (!isUnbegun || parent === undefined) return continueInMachine(ports, child, task, steps);
  await beginHere(ports, { ...child, parent: callerWith(parent, task) }, task, steps);
}

/** Runs a child that holds the token of the task up to its end or its first wait, at which a machine continues it. */
async function beginHere(ports: RunnerPorts, child: runs.Run, task: CallTask, steps: CallSteps): Promise<void> {
  const revision = await revisions.need(ports, child.workflowId, child.revision);
  const chooseExecution = (current: runs.Run) => firstExecution(ports, revision, current);
  const begun = await steps.runInPlace(child, revision, ports.clock.now() + IN_PLACE_MS, chooseExecution);
  const isMine = begun.parent?.token === task.token;
  // The end of a child that this call has committed is reported.
  if (begun.status !== 'pending') return isMine ? undefined : reportAgain(ports, begun, task, steps);
  if (!isMine || begun.machine === '') return continueInMachine(ports, begun, task, steps);
  await cancelIfLeft(ports, await startOrMove(ports, begun), task);
}

/** Gives a stored child an execution, which answers the task in the end; answers at once for a child that has ended. */
async function continueInMachine(ports: RunnerPorts, child: runs.Run, task: CallTask, steps: CallSteps): Promise<void> {
  const launched = await launch(ports, child, task);
  if (launched.status !== 'pending') return reportAgain(ports, launched, task, steps);
  await cancelIfLeft(ports, launched, task);
}

/** The child with this task: it has an earlier one, or none. */
const heldBy = (child: runs.Run, task: CallTask): runs.Run =>
  child.parent === undefined ? child : { ...child, parent: callerWith(child.parent, task) };

async function reportAgain(ports: RunnerPorts, child: runs.Run, task: CallTask, steps: CallSteps): Promise<void> {
  await steps.reportEndAgain(ports, heldBy(child, task));
}

/** A caller that has left its wait in the meantime did not see this child and cannot cancel it. */
async function cancelIfLeft(ports: CleanupPorts, child: runs.Run, task: CallTask): Promise<boolean> {
  if ((await findCaller(ports, task)) !== undefined) return false;
  await cancel(ports, child, BY_PARENT);
  return true;
}

async function serveNew(ports: RunnerPorts, task: CallTask, child: runs.Run, steps: CallSteps): Promise<void> {
  const stored = await storeChild(ports, child);
  if (!(await cancelIfLeft(ports, stored, task))) await serveChild(ports, stored, task, steps);
}

/** Offers a child to workers; the end of it answers the task. */
async function offerChild(ports: RunnerPorts, child: Task, task: CallTask, steps: CallSteps): Promise<void> {
  const offered = await offer(ports, child, task);
  if (offered.status !== 'pending') await reportAgain(ports, offered, task, steps);
}

/** Calls the container of a child, and answers the task with the result. */
async function serveChild(ports: RunnerPorts, child: runs.Run, task: CallTask, steps: CallSteps): Promise<void> {
  if (isTask(child)) return offerChild(ports, child, task, steps);
  if (isCarried(child)) return continueInMachine(ports, child, task, steps);
  const begun = child.parent?.mode === 'or' ? await noteBegin(ports, child) : child;
  const ended = begun.machine === '' ? await serve(ports, begun, true) : begun;
  if (ended.status === 'pending') await answerError(ports, task, TASK_ERROR.timedOut);
  else await steps.reportEnd(ports, heldBy(ended, task));
}

/**
 * The call of a task. The input and the files of a retry are evaluated again, from the same data (workflow-language
 * reference, 7.5). Throws StateError.
 */
async function prepareCall(ports: RunnerPorts, caller: WaitingRun, task: CallTask): Promise<Call> {
  const { i, k } = task.call;
  const { plan, state } = await stateOf(ports, caller);
  const callee = await openCallee(ports, caller, plan, actionOf(state, i));
  const { origin, wake } = caller.wait;
  const input = await evaluateCallInput(callee, await dataOfCall(state, caller.data, i), secretReader(ports, caller));
  const mode = modeOf(state);
  const calling = { run: caller, origin, state: state.id, wake, mode, isLoop: state.work.do === 'each' };
  return { callee, caller: calling, key: { i, k }, input, task };
}

function modeOf({ work }: StatePlan): CallMode {
  if (work.do === 'all') return work.mode;
  return work.do === 'each' && work.collect !== undefined ? 'collect' : 'and';
}

/** The data over which the input of call `i` is evaluated. */
const dataOfCall = async ({ work }: StatePlan, data: unknown, i: number): Promise<unknown> =>
  work.do === 'each' ? elementAt(await elementsOf(work, data), i) : data;

async function stateOf(
  ports: EnginePorts,
  caller: WaitingRun,
): Promise<{ readonly plan: Plan; readonly state: StatePlan }> {
  const revision = await revisions.need(ports, caller.workflowId, caller.revision);
  const plan = revisions.planOf(revision);
  const state = plan.states[caller.wait.state];
  if (state === undefined) throw internalFailure(`the plan has no state '${caller.wait.state}'`);
  return { plan, state };
}

type Kind = Work['do'];
type WorkOf<K extends Kind> = Extract<Work, { readonly do: K }>;

/** The kinds of work whose plan holds actions. */
type CallingKind = Extract<Work, { readonly action: ActionPlan } | { readonly actions: readonly ActionPlan[] }>['do'];

const ACTION_AT: { readonly [K in CallingKind]: (work: WorkOf<K>, i: number) => ActionPlan | undefined } = {
  call: ({ action }) => action,
  each: ({ action }) => action,
  all: ({ actions }, i) => actions[i],
};

const isCalling = (work: Work): work is WorkOf<CallingKind> => Object.hasOwn(ACTION_AT, work.do);

function actionOf({ work }: StatePlan, i: number): ActionPlan {
  const actionAt = isCalling(work)
    ? (ACTION_AT[work.do] as (work: Work, i: number) => ActionPlan | undefined)
    : undefined;
  const action = actionAt?.(work, i);
  if (action === undefined) throw internalFailure(`the state makes no call ${i}`);
  return action;
}
