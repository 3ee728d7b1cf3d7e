import type { CatchPlan, Exit, StatePlan } from '../../compiler/plan/plan.ts';
import type { Pause } from '../../domain/runs/waits.ts';
import { isObject, toPrettyJson } from '../../language/json.ts';
import { matchesCode, patternProblem } from '../../language/patterns.ts';
import { cancelCalls } from '../calls/cancel.ts';
import { needBounded } from '../evaluation/bounds.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { CRASH_MESSAGE, failure, INTERNAL, plainFailure, StateFailure } from '../evaluation/failures.ts';
import { logEvent } from '../run/broadcasts.ts';
import type { Draft } from '../run/unit-of-work.ts';
import { type Done, Hold, type Signal } from '../run/work.ts';
import { perform, resume } from '../works/index.ts';

/** Where a state leads: on to another state, or to the run's end. */
export type Next =
  | { readonly to: string }
  | { readonly hold: Hold }
  | { readonly end: 'complete' }
  | { readonly end: 'failed' | 'crashed'; readonly code: string; readonly message: string };

/** Enters a state and leaves it: log, metadata, work, transform, transition, or its failure (reference, section 6). */
export async function runState(draft: Draft, state: StatePlan, interruption?: StateFailure): Promise<Next> {
  draft.enter(state.id);
  draft.log(`Running state logic (step:${draft.step}) -- ${state.id}`);
  return leave(draft, state, async () => {
    if (interruption !== undefined) throw interruption;
    await announce(draft, state);
    return perform(draft, state);
  });
}

/** Goes on with a state that paused. An interruption ends what it waits for. */
export function resumeState(
  draft: Draft,
  state: StatePlan,
  pause: Pause,
  signal: Signal,
  interruption?: StateFailure,
): Promise<Next> {
  return leave(draft, state, async () => {
    if (interruption !== undefined) {
      await cancelCalls(draft.tools.ports, { ...draft.caller, pause });
      throw interruption;
    }
    return resume(draft, state, pause, signal);
  });
}

async function leave(draft: Draft, state: StatePlan, work: () => Promise<Done>): Promise<Next> {
  const next = await finish(draft, state, work);
  if (!('hold' in next)) draft.leave(state.id, 'to' in next ? next.to : undefined);
  return next;
}

async function finish(draft: Draft, state: StatePlan, work: () => Promise<Done>): Promise<Next> {
  try {
    const done = await work();
    if (done instanceof Hold) return { hold: done };
    draft.pause = undefined;
    const exit = done ?? state.exit;
    await transform(draft, exit);
    return onward(draft, exit);
  } catch (error) {
    draft.pause = undefined;
    // A text of half a gigabyte or a value too deep for the stack: the workflow made it, so the workflow fails.
    if (error instanceof RangeError)
      return fail(draft, state, plainFailure(`the state made too much: ${error.message}`));
    if (!(error instanceof StateFailure)) throw error;
    return fail(draft, state, error);
  }
}

async function announce(draft: Draft, state: StatePlan): Promise<void> {
  if (state.log !== undefined && state.log !== null) {
    const text = toPrettyJson(await evaluate(state.log, draft.data));
    draft.log(text);
    draft.send(logEvent(draft.ports, draft.run, text));
  }
  if (state.metadata !== undefined && state.metadata !== null) {
    draft.metadata = toPrettyJson(await evaluate(state.metadata, draft.data));
  }
}

const keepsData = (transform: unknown): boolean =>
  transform === undefined || transform === null || transform === '' || transform === '.';

/** Replaces the data by the transform's result, which must be an object (workflow-language reference, 5.6). */
async function transform(draft: Draft, exit: Exit): Promise<void> {
  if (keepsData(exit.transform)) return;
  draft.log('Transforming state data.');
  const result = await evaluate(exit.transform, draft.data).catch((error: unknown) => {
    if (!(error instanceof StateFailure)) throw error;
    throw new StateFailure(error.kind, error.code, `unable to apply transform: ${error.message}`);
  });
  if (!isObject(result)) {
    throw failure('jq.notObject', 'unable to apply transform: the `jq` or `js` command produced a non-object output');
  }
  draft.data = needBounded(result);
}

function onward(draft: Draft, { transition }: Exit): Next {
  if (transition === undefined || transition === '') return end(draft);
  draft.log(`Transitioning to next state: ${transition} (${draft.step + 1}).`);
  return { to: transition };
}

function end(draft: Draft): Next {
  const { raised } = draft;
  if (raised !== undefined) draft.log(`Workflow failed with error '${raised.code}': ${raised.message}`, 'error');
  draft.log('Workflow completed.');
  return raised === undefined ? { end: 'complete' } : { end: 'failed', ...raised };
}

function codeOf(draft: Draft, error: StateFailure): string {
  return error.own ? error.code : draft.branded(error.code);
}

/** A failed state goes where its catch says, else the run fails (workflow-language reference, 7.2). */
function fail(draft: Draft, state: StatePlan, error: StateFailure): Next {
  const code = codeOf(draft, error);
  if (error.kind === 'internal') return crash(draft, error);
  if (error.kind !== 'catchable') return failUncatchably(draft, error);
  draft.data = { ...draft.data, error: { code, msg: error.message } };
  const caught = findCatch(draft, state.catch, code);
  if (caught === undefined) {
    draft.log(`Instance failed with error '${code}': ${error.detail}`, 'error');
    return { end: 'failed', code, message: error.message };
  }
  draft.log(`State failed with error '${code}': ${error.detail}`, 'error');
  draft.log(`Error caught by error definition ${caught.index}: ${caught.pattern}`);
  return onward(draft, caught);
}

function findCatch(draft: Draft, entries: readonly CatchPlan[], code: string) {
  for (const [index, { error: pattern, transition }] of entries.entries()) {
    const problem = patternProblem(pattern);
    if (problem !== undefined) draft.log(`Error catching regex failed to compile: ${problem}`, 'error');
    else if (matchesCode(pattern, code, draft.ports.settings.brand)) {
      return { index, pattern, ...(transition === undefined ? {} : { transition }) };
    }
  }
  return undefined;
}

function failUncatchably(draft: Draft, error: StateFailure): Next {
  const code = codeOf(draft, error);
  const named = error.kind === 'plain' ? '' : ` '${code}'`;
  draft.log(`Instance failed with uncatchable error${named}: ${error.detail}`, 'error');
  return { end: 'failed', code, message: error.message };
}

/** The detail of an internal error is for the instance's log alone. */
function crash(draft: Draft, error: StateFailure): Next {
  draft.log(`Instance failed with uncatchable error: ${error.detail}`, 'error');
  return { end: 'crashed', code: draft.branded(INTERNAL), message: CRASH_MESSAGE };
}
