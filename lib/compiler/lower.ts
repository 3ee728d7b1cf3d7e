import type { Document } from './document.ts';
import type { RunSettings } from './parts/run-settings.ts';
import { statesFrom } from './plan/flow.ts';
import { type ActionPlan, type CatchPlan, PLAN_VERSION, type Plan, type StatePlan } from './plan/plan.ts';
import type { Part } from './sections.ts';

/** Makes the plan of a document without problems. Throws for a document with problems. */
export function lower({ start, states, functions, settings }: Document): Plan {
  const lowered = start && lowerPart(start);
  const { catch: _, retries, ...kept } = settings;
  const own = Object.fromEntries(states.map((part) => [part.id ?? '', withRetries(lowerPart(part), retries)]));
  return {
    version: PLAN_VERSION,
    start: lowered?.start ?? { type: 'default' },
    entry: lowered?.state ?? states[0]?.id ?? '',
    ...kept,
    functions: Object.fromEntries(functions.map((part) => [part.id ?? '', lowerPart(part)])),
    states: withFollowers(own, settings),
  };
}

function lowerPart<Lowered>(part: Part<Lowered>): Lowered {
  if (part.lower === undefined) throw new Error(`the part in line ${part.line} could not be decoded`);
  return part.lower();
}

/** Gives the retries of the workflow to the actions of a state that have none. Nothing waits for an async call: it is never repeated. */
function withRetries(state: StatePlan, retries: ActionPlan['retries']): StatePlan {
  const { work } = state;
  if (retries === undefined) return state;
  const repeated = (action: ActionPlan): ActionPlan => ({ retries, ...action });
  if (work.do === 'all') return { ...state, work: { ...work, actions: work.actions.map(repeated) } };
  const isRepeated = work.do === 'each' || (work.do === 'call' && !work.async);
  return isRepeated ? { ...state, work: { ...work, action: repeated(work.action) } } : state;
}

type States = Plan['states'];

const named = (ids: readonly (string | undefined)[]): string[] =>
  ids.filter((id): id is string => id !== undefined && id !== '');

/**
 * Adds to each state what the workflow says about every one: the catches after its own, except one that would lead to the
 * state itself, and the handlers that may follow it. A handler has neither: its failure changes nothing.
 */
export function withFollowers(states: States, { catch: catchers, handlers }: RunSettings): States {
  if (catchers.length === 0 && handlers === undefined) return states;
  const { onFailure, onCancel, finally: last } = handlers ?? {};
  const final = statesFrom(states, named([last]));
  const failed = statesFrom(states, named([onFailure, onCancel]));
  const followersOf = (id: string): Pick<StatePlan, 'handlers'> => {
    if (handlers === undefined || final.has(id)) return {};
    return { handlers: named(failed.has(id) ? [last] : [onFailure, onCancel, last]) };
  };
  const inherited = ({ id }: StatePlan): readonly CatchPlan[] =>
    final.has(id) || failed.has(id) ? [] : catchers.filter(({ transition }) => transition !== id);
  const changed = Object.values(states).map((state) => ({
    ...state,
    catch: [...state.catch, ...inherited(state)],
    ...followersOf(state.id),
  }));
  return Object.fromEntries(changed.map((state) => [state.id, state]));
}
