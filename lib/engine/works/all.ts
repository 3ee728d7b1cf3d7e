import type { ActionPlan, Work } from '../../compiler/plan/plan.ts';
import { type CallList, CallRound } from '../calls/rounds.ts';
import { internalFailure } from '../evaluation/failures.ts';
import type { Draft } from '../run/unit-of-work.ts';
import { Hold, type Perform, type Resume } from '../run/work.ts';

type All = Extract<Work, { readonly do: 'all' }>;

function actionAt({ actions }: All, i: number): ActionPlan {
  const action = actions[i];
  if (action === undefined) throw internalFailure(`the state has no action ${i}`);
  return action;
}

const listOf = (draft: Draft, work: All): CallList => ({
  total: work.actions.length,
  mode: work.mode,
  timeout: work.timeout,
  at: (i) => ({ action: actionAt(work, i), data: draft.data }),
  said: (_, returned) => `Action returned. (${returned}/${work.actions.length})`,
});

function finish(draft: Draft, results: Hold | readonly unknown[]): Hold | undefined {
  if (results instanceof Hold) return results;
  draft.data = { ...draft.data, return: results };
  return undefined;
}

/** Calls all actions at once; `return` is the list of what they return, by position. */
export const all: Perform<'all'> = async (draft, work) => {
  draft.log('Sleeping until children return.');
  return finish(draft, await new CallRound(draft, listOf(draft, work)).advance());
};

export const resumeAll: Resume<'all'> = async (draft, work, _state, pause, signal) =>
  finish(draft, await new CallRound(draft, listOf(draft, work), pause.calls).resume(signal));
