import type { Work } from '../../compiler/plan.ts';
import { type CallList, CallRound } from '../calls.ts';
import { childId, inputOf, launch, newChild, openCallee, store } from '../children.ts';
import type { Draft } from '../draft.ts';
import { Hold, type Perform, type Resume } from '../work.ts';

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
async function callAndForget(draft: Draft, { action }: Call): Promise<Hold | undefined> {
  const { ports, tools, caller, origin } = draft;
  // The child may read what the run wrote.
  if (draft.weight > 0) return new Hold({ isWaiting: false, until: draft.entered });
  const callee = await openCallee(ports, draft.run, tools.plan, action);
  const calling = { caller, origin, wake: 0, mode: 'and' } as const;
  const { parent: _, ...child } = newChild(ports, callee, calling, { i: 0, k: 0 }, await inputOf(action, draft.data));
  await launch(ports, await store(ports, child), '');
  draft.log(`Running child '${child.id}' in fire-and-forget mode (async).`);
  return undefined;
}

/** Calls a subflow and puts what it returns under `return`. */
export const call: Perform<'call'> = async (draft, work) => {
  if (work.async) return callAndForget(draft, work);
  const id = childId(draft.caller, draft.origin, { i: 0, k: 0 });
  draft.log(`Sleeping until child '${id}' returns (${work.action.function}).`);
  return finish(draft, await new CallRound(draft, listOf(draft, work)).advance());
};

export const resumeCall: Resume<'call'> = async (draft, work, _state, pause, signal) => {
  if (work.async) return callAndForget(draft, work);
  return finish(draft, await new CallRound(draft, listOf(draft, work), pause.calls).resume(signal));
};
