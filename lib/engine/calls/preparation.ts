import type { ActionPlan, Plan, StatePlan, Work } from '../../compiler/plan/plan.ts';
import type { CallKey, CallMode } from '../../domain/runs/waits.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { ownMember } from '../../language/own-members.ts';
import { internalFailure } from '../evaluation/failures.ts';
import { secretReader } from '../evaluation/secrets.ts';
import type { EnginePorts, RunnerPorts } from '../ports.ts';
import type { WaitingRun } from '../run/waiting-run.ts';
import type { PreparedCall } from './callees/callee.ts';
import { openCallee } from './callees/index.ts';
import { elementAt, elementsOf } from './elements.ts';

/**
 * The call that a machine makes for a waiting run. The input and the files of a retry are evaluated again, from the same data (workflow-language
 * reference, 7.5). Throws StateError.
 */
export async function prepareCall(ports: RunnerPorts, caller: WaitingRun, { i, k }: CallKey): Promise<PreparedCall> {
  const { plan, state } = await stateOf(ports, caller);
  const callee = await openCallee(ports, caller, plan, actionOf(state, i));
  const { origin, wake } = caller.wait;
  const input = await callee.prepare(await dataOfCall(state, caller.data, i), secretReader(ports, caller));
  const mode = modeOf(state);
  const calling = { run: caller, origin, state: state.id, wake, mode, isLoop: state.work.do === 'each' };
  return { callee, caller: calling, key: { i, k }, input };
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
  const state = ownMember(plan.states, caller.wait.state);
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
