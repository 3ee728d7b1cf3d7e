import { addDuration, parseDuration } from '../../time/durations.ts';
import type { ActionPlan, Duration, Exit, Plan, Work, WorkKind, WorkOf } from './plan.ts';

/** Whether a state waits when it runs. `perhaps`: it makes calls, which may end before the state would wait. */
export type Waiting = 'always' | 'perhaps' | 'never';

/** The traits of one kind of work that the control flow of a plan needs. */
interface Traits<K extends WorkKind> {
  readonly waits: Waiting | ((work: WorkOf<K>) => Waiting);
  /** The longest wait, if the workflow sets one. */
  readonly longestWait: (work: WorkOf<K>) => Duration | undefined;
  /** The exits that the work may choose instead of the exit of its state. */
  readonly exits: (work: WorkOf<K>) => readonly Exit[];
  /** The actions that the work calls. */
  readonly actions: (work: WorkOf<K>) => readonly ActionPlan[];
}

const none = () => [];
const timeoutOf = ({ timeout }: { readonly timeout?: Duration }) => timeout;

/** Work that never waits, chooses no exit and calls nothing. */
const PLAIN = { waits: 'never', longestWait: () => undefined, exits: none, actions: none } as const;

/** The traits of each kind of work. Work that never waits runs in the steps function, many states in one call. */
const TRAITS = {
  nothing: PLAIN,
  choose: { ...PLAIN, exits: ({ conditions, otherwise }) => [...conditions, otherwise] },
  validate: PLAIN,
  raise: PLAIN,
  read: PLAIN,
  write: PLAIN,
  emit: PLAIN,
  sleep: {
    waits: ({ duration }) => (isZero(duration) ? 'never' : 'always'),
    longestWait: ({ duration }) => duration,
    exits: none,
    actions: none,
  },
  call: {
    waits: ({ async }) => (async ? 'never' : 'perhaps'),
    longestWait: timeoutOf,
    exits: none,
    actions: ({ action }) => [action],
  },
  each: { waits: 'perhaps', longestWait: timeoutOf, exits: none, actions: ({ action }) => [action] },
  all: { waits: 'perhaps', longestWait: timeoutOf, exits: none, actions: ({ actions }) => actions },
  listen: { waits: 'always', longestWait: timeoutOf, exits: none, actions: none },
  'listen-any': { waits: 'always', longestWait: timeoutOf, exits: ({ events }) => events, actions: none },
  approve: {
    waits: 'always',
    longestWait: timeoutOf,
    exits: ({ choices }) => choices,
    actions: ({ notify, reminders }) => [
      ...(notify ? [notify] : []),
      ...reminders.flatMap(({ action }) => action ?? []),
    ],
  },
} as const satisfies { readonly [K in WorkKind]: Traits<K> };

/** The kinds of work that may wait. A table with a row for each of them is complete for the type checker. */
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

/** Returns the longest wait of the work; undefined if the workflow sets none. */
export const longestWaitOf = (work: Work): Duration | undefined => traitsOf(work).longestWait(work);

/** Returns the exits that the work may choose instead of the exit of its state. */
export const exitsOf = (work: Work): readonly Exit[] => traitsOf(work).exits(work);

/** Returns the actions that the work calls. */
export const actionsOf = (work: Work): readonly ActionPlan[] => traitsOf(work).actions(work);

/** The names of the secrets that the actions of a plan read. */
export const secretsOf = (plan: Pick<Plan, 'states'> | undefined): ReadonlySet<string> =>
  new Set(Object.values(plan?.states ?? {}).flatMap(({ work }) => actionsOf(work).flatMap(({ secrets }) => secrets)));
