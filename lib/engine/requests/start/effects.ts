import { type CalleeKind, calleeKindOf } from '../../../compiler/plan/execution.ts';
import { nativeImageOfAction, onlyComputes } from '../../../compiler/plan/native-images.ts';
import type { ActionPlan, FunctionPlan, Plan, Scope, Work, WorkKind, WorkOf } from '../../../compiler/plan/plan.ts';
import { actionsOf } from '../../../compiler/plan/traits.ts';

/** The kind of an effect of a state outside its run. `missing`: a repetition lacks it because it skips the state. */
export type EffectKind =
  | 'http'
  | 'lambda'
  | 'mail'
  | 'container'
  | 'worker'
  | 'workflow'
  | 'event'
  | 'variable'
  | 'approval'
  | 'missing';

/** A warning before a repetition: an effect that a state repeats, or that the repetition lacks. */
export interface Warning {
  readonly state: string;
  readonly effect: EffectKind;
  /** A sentence without its period. */
  readonly message: string;
}

type Effect = Pick<Warning, 'effect' | 'message'>;

/** The images that send mails. */
const MAILING = new Set(['sendmail', 'smtp', 'smtp-bare']);

function isComputing(called: FunctionPlan, action: ActionPlan): boolean {
  const image = nativeImageOfAction(called, action);
  return image !== undefined && onlyComputes(image);
}

const OF_CALLEE: Readonly<Record<CalleeKind, (name: string) => Effect>> = {
  subflow: (name) => ({ effect: 'workflow', message: `runs the workflow of the function '${name}' again` }),
  container: (name) => ({ effect: 'container', message: `runs the container of the function '${name}' again` }),
  native: (name) => ({ effect: 'http', message: `sends the HTTP request of the function '${name}' again` }),
  worker: (name) => ({ effect: 'worker', message: `gives the task of the function '${name}' to a worker again` }),
};

const invokes = (name: string): Effect => ({
  effect: 'lambda',
  message: `invokes the Lambda function of the function '${name}' again`,
});

const mails = (name: string): Effect => ({
  effect: 'mail',
  message: `sends the mails of the function '${name}' again`,
});

const isMailing = (called: FunctionPlan, action: ActionPlan): boolean =>
  called.type === 'mail' || MAILING.has(nativeImageOfAction(called, action) ?? '');

function effectsOfActions({ functions }: Plan, actions: readonly ActionPlan[]): Effect[] {
  const names = [...new Map(actions.map((action) => [action.function, action])).entries()];
  return names.flatMap(([name, action]) => {
    const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (called === undefined || isComputing(called, action)) return [];
    if (isMailing(called, action)) return [mails(name)];
    return [called.type === 'lambda' ? invokes(name) : OF_CALLEE[calleeKindOf(called)](name)];
  });
}

type Own<K extends WorkKind> = ((work: WorkOf<K>) => readonly Effect[]) | 'none';

const shown = (key: unknown): string => (typeof key === 'string' ? `'${key}'` : 'of a name that is computed');

/** The effects of each kind of work outside its run, beside those of its calls. */
const OF_WORK: { readonly [K in WorkKind]: Own<K> } = {
  nothing: 'none',
  choose: 'none',
  validate: 'none',
  raise: 'none',
  read: 'none',
  sleep: 'none',
  call: 'none',
  each: 'none',
  all: 'none',
  listen: 'none',
  'listen-any': 'none',
  write: ({ variables }) =>
    variables.map(({ key, scope }) => ({
      effect: 'variable',
      message: `sets the ${scope} variable ${shown(key)} again`,
    })),
  emit: ({ event }) => [{ effect: 'event', message: `sends an event of the type '${event.type}' again` }],
  approve: () => [{ effect: 'approval', message: 'asks for a decision again' }],
};

function ownEffects(work: Work): readonly Effect[] {
  const own = OF_WORK[work.do] as Own<WorkKind>;
  return own === 'none' ? [] : (own as (work: Work) => readonly Effect[])(work);
}

/** The variables that end with the run that sets them. */
const OF_THE_RUN: ReadonlySet<Scope> = new Set(['instance', 'thread']);

function missingAfter(work: Work): Effect[] {
  if (work.do !== 'write') return [];
  return work.variables
    .filter(({ scope }) => OF_THE_RUN.has(scope))
    .map(({ key, scope }) => ({
      effect: 'missing',
      message: `is skipped: the new run lacks the ${scope} variable ${shown(key)} that it set`,
    }));
}

/** The states that a run visited, by their use in a repetition. */
export interface VisitedStates {
  readonly skipped: Iterable<string>;
  readonly repeated: Iterable<string>;
  /** The state whose calls are taken over where they succeeded. */
  readonly reused?: string;
}

/**
 * Returns warnings about the effects outside a run that its repetition repeats, and about those that it lacks. States
 * that the plan does not have are left out.
 */
export function warningsOf(plan: Plan, { skipped, repeated, reused }: VisitedStates): Warning[] {
  const workOf = (state: string): Work | undefined =>
    Object.hasOwn(plan.states, state) ? plan.states[state]?.work : undefined;
  const about = (state: string, effects: readonly Effect[], more = ''): Warning[] =>
    effects.map(({ effect, message }) => ({ state, effect, message: `the state '${state}' ${message}${more}` }));
  const again = [...new Set(repeated)].flatMap((state) => {
    const work = workOf(state);
    if (work === undefined) return [];
    const more = state === reused ? ', where it did not succeed' : '';
    return [...about(state, effectsOfActions(plan, actionsOf(work)), more), ...about(state, ownEffects(work))];
  });
  const missing = [...new Set(skipped)].flatMap((state) => {
    const work = workOf(state);
    return work === undefined ? [] : about(state, missingAfter(work));
  });
  return [...again, ...missing];
}
