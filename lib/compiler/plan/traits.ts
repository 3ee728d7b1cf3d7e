import { addDuration, parseDuration } from '../../time/durations.ts';
import type { ActionPlan, Exit, Work, WorkKind, WorkOf } from './plan.ts';

/** Whether a state waits when it runs. `perhaps`: it makes calls, which may end before the state would wait. */
export type Waiting = 'always' | 'perhaps' | 'never';

/** What the control flow of a plan must know about one kind of work. */
interface Traits<K extends WorkKind> {
  readonly waits: Waiting | ((work: WorkOf<K>) => Waiting);
  /** The exits that the work may choose instead of the exit of its state. */
  readonly exits: (work: WorkOf<K>) => readonly Exit[];
  /** The actions that the work calls. */
  readonly actions: (work: WorkOf<K>) => readonly ActionPlan[];
}

const none = () => [];

/** The traits of each kind of work. Work that never waits runs in the steps function, many states in one call. */
const TRAITS = {
  nothing: { waits: 'never', exits: none, actions: none },
  choose: { waits: 'never', exits: ({ conditions, otherwise }) => [...conditions, otherwise], actions: none },
  validate: { waits: 'never', exits: none, actions: none },
  raise: { waits: 'never', exits: none, actions: none },
  read: { waits: 'never', exits: none, actions: none },
  write: { waits: 'never', exits: none, actions: none },
  emit: { waits: 'never', exits: none, actions: none },
  sleep: { waits: ({ duration }) => (isZero(duration) ? 'never' : 'always'), exits: none, actions: none },
  call: { waits: ({ async }) => (async ? 'never' : 'perhaps'), exits: none, actions: ({ action }) => [action] },
  each: { waits: 'perhaps', exits: none, actions: ({ action }) => [action] },
  all: { waits: 'perhaps', exits: none, actions: ({ actions }) => actions },
  listen: { waits: 'always', exits: none, actions: none },
  'listen-any': { waits: 'always', exits: ({ events }) => events, actions: none },
} as const satisfies { readonly [K in WorkKind]: Traits<K> };

/** The kinds of work that may wait. Tables with a row for each of them are complete for the type checker. */
export type WaitingKind = {
  readonly [K in WorkKind]: (typeof TRAITS)[K]['waits'] extends 'never' ? never : K;
}[WorkKind];

function isZero(text: string): boolean {
  const duration = parseDuration(text);
  return duration !== undefined && addDuration(0, duration) === 0;
}

// The row of a kind takes the work of that kind only, which the type checker cannot see.
const traitsOf = (work: Work) => TRAITS[work.do] as unknown as Traits<WorkKind>;

/** Returns whether the work waits. */
export function waitingOf(work: Work): Waiting {
  const { waits } = traitsOf(work);
  return typeof waits === 'string' ? waits : waits(work);
}

/** Returns the exits that the work may choose instead of the exit of its state. */
export const exitsOf = (work: Work): readonly Exit[] => traitsOf(work).exits(work);

/** Returns the actions that the work calls. */
export const actionsOf = (work: Work): readonly ActionPlan[] => traitsOf(work).actions(work);
