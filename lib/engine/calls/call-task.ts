import { mayRunInPlace } from '../../compiler/plan/execution.ts';
import type { ActionPlan, Plan, StatePlan } from '../../compiler/plan/plan.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { CallKey, Pause, WaitingCall } from '../../domain/runs/waits.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { noteBegin, serve } from '../containers/serving.ts';
import { internalFailure, StateFailure } from '../evaluation/failures.ts';
import { secretReader } from '../evaluation/secrets.ts';
import type { EnginePorts, KeeperPorts, RunnerPorts } from '../ports.ts';
import { conclude } from '../run/endings.ts';
import type { RunInPlace } from '../run/unit-of-work.ts';
import { cancel } from './cancel.ts';
import { childId, givenOf, launch, newChild, openCallee, store } from './children.ts';

/** A machine's task that makes one call of a paused run and waits for its end. */
export interface CallInput {
  readonly run: string;
  readonly pause: number;
  readonly call: WaitingCall & { readonly seconds: number };
  /** Ends the task. */
  readonly token: string;
}

/** A child that need not wait has this long to end within the call. */
const IN_PLACE_MS = 2_000;

type Waiting = runs.Run & { readonly pause: Pause };

/** The caller, if it still waits at the pause that the machine means. */
async function findCaller(ports: EnginePorts, { run: id, pause }: CallInput): Promise<Waiting | undefined> {
  const run = await runs.find(ports, id);
  const isThere = run?.status === 'pending' && run.pause?.isWaiting === true && run.pause.number === pause;
  return isThere ? (run as Waiting) : undefined;
}

const ACTIONS: Readonly<Record<string, (work: never, i: number) => ActionPlan | undefined>> = {
  call: ({ action }: { action: ActionPlan }) => action,
  each: ({ action }: { action: ActionPlan }) => action,
  all: ({ actions }: { actions: readonly ActionPlan[] }, i) => actions[i],
};

function actionOf({ work }: StatePlan, i: number): ActionPlan {
  const action = ACTIONS[work.do]?.(work as never, i);
  if (action === undefined) throw internalFailure(`the state makes no call ${i}`);
  return action;
}

async function stateOf(
  ports: EnginePorts,
  caller: Waiting,
): Promise<{ readonly plan: Plan; readonly state: StatePlan }> {
  const revision = await revisions.need(ports, caller.workflowId, caller.revision);
  const plan = revisions.planOf(revision);
  const state = plan.states[caller.pause.state];
  if (state === undefined) throw internalFailure(`the plan has no state '${caller.pause.state}'`);
  return { plan, state };
}

/** A further attempt is given what the one before it was given. */
async function attempt(ports: RunnerPorts, caller: Waiting, { i, k }: CallKey, token: string) {
  const { plan, state } = await stateOf(ports, caller);
  const callee = await openCallee(ports, caller, plan, actionOf(state, i));
  const { origin, wake, calls } = caller.pause;
  const before = await runs.find(ports, childId(caller, origin, { i, k: k - 1 }));
  const given =
    before === undefined
      ? await givenOf(callee, caller.data, secretReader(ports, caller))
      : { input: before.input, files: before.service?.files ?? [] };
  // How a failure counts is told by what the calls before it had to say.
  const mode = before?.parent?.mode ?? (calls !== undefined && calls.failed > 0 ? 'or' : 'and');
  const calling = { caller, origin, state: state.id, wake, mode, isLoop: state.work.do === 'each' };
  return { callee, child: await newChild(ports, callee, calling, { i, k }, given, token) };
}

/** Calls the container of a child, and answers the token with what comes of it. */
async function serveCall(ports: RunnerPorts, child: runs.Run, token: string): Promise<void> {
  const begun = child.parent?.mode === 'or' ? await noteBegin(ports, child) : child;
  const ended = begun.machine === '' ? await serve(ports, begun, true) : begun;
  if (ended.status === 'pending') await ports.executions.answer(token, { error: 'Weft.Late', cause: '' });
  else await conclude(ports, { ...ended, ...withToken(ended, token) });
}

async function serveNew(ports: RunnerPorts, input: CallInput, child: runs.Run): Promise<void> {
  const stored = await store(ports, child);
  if ((await findCaller(ports, input)) === undefined) await cancel(ports, stored, 'cancels.parent');
  else await serveCall(ports, stored, input.token);
}

/** Makes the call, and sees to it that its end answers the token. */
async function begin(ports: RunnerPorts, caller: Waiting, input: CallInput, runInPlace: RunInPlace): Promise<void> {
  const { call, token } = input;
  const stored = await runs.find(ports, childId(caller, caller.pause.origin, call));
  if (stored?.service !== undefined) return serveCall(ports, stored, token);
  if (stored !== undefined) {
    const launched = await launch(ports, stored, token);
    if (launched.status === 'pending') return leaveNone(ports, input, launched);
    return void (await conclude(ports, { ...launched, ...withToken(launched, token) }));
  }
  const { callee, child } = await attempt(ports, caller, call, token);
  if (callee.kind === 'service') return serveNew(ports, input, child);
  const { revision } = callee.opened;
  const isShort = mayRunInPlace(revisions.planOf(revision));
  const begun = isShort
    ? await runInPlace(child, revision, ports.clock.now() + IN_PLACE_MS)
    : await store(ports, child);
  if (begun.status !== 'pending') return void (await conclude(ports, { ...begun, ...withToken(begun, token) }));
  return leaveNone(ports, input, await launch(ports, begun, token));
}

const withToken = ({ parent }: runs.Run, token: string) =>
  parent === undefined ? {} : { parent: { ...parent, token } };

/** A caller that left in the meantime did not see this child, so the child is ended here. */
async function leaveNone(ports: KeeperPorts, input: CallInput, child: runs.Run): Promise<void> {
  if ((await findCaller(ports, input)) === undefined) await cancel(ports, child, 'cancels.parent');
}

/** Answers a task that is not to make its call: the caller has left, its time is over, or the attempt comes later. */
async function answerEarly(
  ports: EnginePorts,
  caller: Waiting | undefined,
  { call, token }: CallInput,
): Promise<boolean> {
  if (caller === undefined) return ports.executions.answer(token, { error: 'Weft.Left', cause: '' }).then(() => true);
  const { i, k, s } = call;
  const now = ports.clock.now();
  if (now >= caller.pause.wake) {
    await ports.executions.answer(token, { error: 'Weft.Late', cause: '' });
    return true;
  }
  if (s === undefined) return false;
  const seconds = Math.max(Math.ceil((caller.pause.wake - now) / 1000) - s, 1);
  return ports.executions.answer(token, { output: { i, k, again: s, seconds } }).then(() => true);
}

/** Makes one call for a machine; its end answers the task. Safe to repeat. */
export async function makeCall(ports: RunnerPorts, input: CallInput, runInPlace: RunInPlace): Promise<void> {
  const caller = await findCaller(ports, input);
  if ((await answerEarly(ports, caller, input)) || caller === undefined) return;
  try {
    await begin(ports, caller, input, runInPlace);
  } catch (error) {
    if (!(error instanceof StateFailure)) throw error;
    await ports.executions.answer(input.token, { error: `Weft.${error.kind}`, cause: error.message });
  }
}
