import { callsContainer } from '../../compiler/plan/execution.ts';
import type { ActionPlan, Work } from '../../compiler/plan/plan.ts';
import { childId, givenOf, launch, newChild, openCallee, store } from '../calls/children.ts';
import { type CallList, CallRound, deadlineOf } from '../calls/rounds.ts';
import type { Draft } from '../run/unit-of-work.ts';
import { Hold, type Perform, type Resume } from '../run/work.ts';

type Call = Extract<Work, { readonly do: 'call' }>;

const listOf = (draft: Draft, { action, timeout }: Call): CallList => ({
  total: 1,
  mode: 'and',
  timeout,
  at: () => ({ action, data: draft.data }),
  said: () => undefined,
});

function finish(draft: Draft, results: Hold | readonly unknown[]): Hold | undefined {
  if (results instanceof Hold) return results;
  draft.data = { ...draft.data, return: results[0] };
  return undefined;
}

/** Starts the child and goes on; what becomes of it is not this run's business. */
async function callAndForget(draft: Draft, { action, timeout }: Call): Promise<Hold | undefined> {
  const { ports, tools, caller, origin, at: state } = draft;
  // The child may read what the run wrote.
  if (draft.weight > 0) return new Hold({ isWaiting: false, until: draft.entered });
  const callee = await openCallee(tools.ports, caller, tools.plan, action);
  const wake = deadlineOf(ports.clock.now(), timeout);
  const calling = { caller, origin, state, wake, mode: 'and', isLoop: false } as const;
  const given = await givenOf(callee, draft.data, tools.readSecrets);
  const { parent: _, ...child } = await newChild(tools.ports, callee, calling, { i: 0, k: 0 }, given);
  await launch(ports, await store(ports, child), '');
  draft.log(`Running child '${child.id}' in fire-and-forget mode (async).`);
  return undefined;
}

const sleepingText = (draft: Draft, action: ActionPlan, id: string): string =>
  callsContainer(draft.tools.plan, action)
    ? `Sleeping until function '${action.function}' returns (${id}).`
    : `Sleeping until child '${id}' returns (${action.function}).`;

/** Calls a subflow or a container and puts what it returns under `return`. */
export const call: Perform<'call'> = async (draft, work) => {
  if (work.async) return callAndForget(draft, work);
  const id = childId(draft.caller, draft.origin, { i: 0, k: 0 });
  draft.log(sleepingText(draft, work.action, id));
  return finish(draft, await new CallRound(draft, listOf(draft, work)).advance());
};

export const resumeCall: Resume<'call'> = async (draft, work, _state, pause, signal) => {
  if (work.async) return callAndForget(draft, work);
  return finish(draft, await new CallRound(draft, listOf(draft, work), pause.calls).resume(signal));
};
