import { type Branch, INVOKE_AND_WAIT, type State } from '../../../lib/compiler/emit/asl.ts';
import { emit } from '../../../lib/compiler/emit/emit.ts';
import { isWaitFree, mayRunInPlace } from '../../../lib/compiler/plan/execution.ts';
import { successors } from '../../../lib/compiler/plan/flow.ts';
import type { Plan, StatePlan, WorkKind, WorkOf } from '../../../lib/compiler/plan/plan.ts';
import { exitsOf } from '../../../lib/compiler/plan/traits.ts';
import { type Bound, plus, priceWay, type Step, used } from './paths.ts';
import type { Used } from './prices.ts';

/** What a run uses, at the least and at the most, if no state comes twice. */
export interface RunCost {
  readonly op: 'execute' | 'wait';
  readonly least: Used;
  readonly most: Used;
}

/*
 * Units as bench/calls.json counts them, for data of less than a kilobyte. A test holds these figures against it.
 */
const REQUEST = { requests: 1, lambdas: 1, readUnits: 2, writeUnits: 3 };
/** One call of the steps function: it reads the run and commits it. */
const SEGMENT = { lambdas: 1, readUnits: 1, writeUnits: 2 };
/** What a wait adds to the commit before it. */
const PAUSE = { writeUnits: 1 };
/** The listener is written before the wait; an event, a request or a child ends it. */
const LISTENING = { lambdas: 1, readUnits: 2, writeUnits: 5 };
const EVENT = { events: 1, lambdas: 1, readUnits: 3, writeUnits: 7 };
/** A subflow that is over in place is stored once; which revision it has is read once for all of them. */
const CHILD = { writeUnits: 4 };
const CHILDREN = { readUnits: 2, writeUnits: 1 };
const VARIABLE = { read: { readUnits: 1 }, written: { readUnits: 1, writeUnits: 3 } };
/** A file in the root; each directory on the way to another one is a unit more. */
const FILE = { readUnits: 2 };
/** Lines of a log make the run's item larger, until they go into one of their own. */
const STATES_OF_A_UNIT = 5;
const MOST_UNITS_OF_LINES = 5;

const childrenOf = (count: number): Used => plus(plus(used(), CHILDREN), CHILD, count);

type Usage<K extends WorkKind> = (work: WorkOf<K>, items: number) => Partial<Used>;

const nothing = (): Partial<Used> => ({});

/** What each kind of work uses in its batch; what its wait uses is counted from the state machine. */
const USAGE: { readonly [K in WorkKind]: Usage<K> } = {
  nothing,
  choose: nothing,
  validate: nothing,
  raise: nothing,
  sleep: nothing,
  listen: nothing,
  'listen-any': nothing,
  read: ({ variables }) => {
    const files = variables.filter(({ scope }) => scope === 'file').length;
    return plus(plus(used(), VARIABLE.read, variables.length - files), FILE, files);
  },
  write: ({ variables }) => plus(used(), VARIABLE.written, variables.length),
  emit: () => EVENT,
  call: () => childrenOf(1),
  each: (_work, items) => childrenOf(items),
  all: ({ actions }) => childrenOf(actions.length),
};

function stepOfState(state: StatePlan, items: number): Step {
  const { work } = state;
  const usageOf = USAGE[work.do] as Usage<WorkKind>;
  return { uses: usageOf(work, items), next: successors(state), ends: mayEnd(state) };
}

const mayEnd = ({ work, exit }: StatePlan): boolean =>
  [exit, ...exitsOf(work)].some(({ transition }) => transition === undefined || transition === '');

/** Where a state of a machine leads to when nothing fails. */
function nextOf(state: State): string[] {
  if (state.Type === 'Choice')
    return [...state.Choices.map(({ Next }) => Next), ...(state.Default ? [state.Default] : [])];
  return 'Next' in state && state.Next !== undefined ? [state.Next] : [];
}

/** How many calls a state makes side by side, by its id, which is its name in the machine. */
type ItemsOf = (id: string) => number;

/** What one entry of a state of a machine uses. */
function usesOf(name: string, state: State, itemsOf: ItemsOf, bound: Bound): Partial<Used> {
  const entered = used({ transitions: 1 });
  if (state.Type === 'Wait') return plus(entered, PAUSE);
  if (state.Type === 'Map') return plus(entered, wayThrough(state.ItemProcessor, itemsOf, bound), itemsOf(name));
  if (state.Type !== 'Task') return entered;
  return plus(entered, state.Resource === INVOKE_AND_WAIT ? LISTENING : SEGMENT);
}

function wayThrough({ StartAt, States }: Branch, itemsOf: ItemsOf, bound: Bound): Used {
  const stepOf = (name: string): Step => {
    const state = States[name] as State;
    const next = nextOf(state);
    return { uses: usesOf(name, state, itemsOf, bound), next, ends: next.length === 0 };
  };
  return priceWay(stepOf, StartAt, bound) ?? used();
}

/** What a run of a plan uses beside the time of Lambdas; `items` is how many a `foreach` has. */
export function priceRuns(plan: Plan, items: number): RunCost[] {
  const { definition, tier } = emit(plan);
  const itemsOf = (id: string): number => {
    const work = Object.hasOwn(plan.states, id) ? plan.states[id]?.work : undefined;
    return work?.do === 'all' ? work.actions.length : items;
  };
  const stepOf = (id: string): Step => {
    const state = Object.hasOwn(plan.states, id) ? plan.states[id] : undefined;
    return state === undefined ? { uses: {}, next: [], ends: true } : stepOfState(state, items);
  };
  const states = Math.floor(Object.keys(plan.states).length / STATES_OF_A_UNIT);
  const lines = { writeUnits: Math.min(states, MOST_UNITS_OF_LINES) };
  const works = (bound: Bound): Used => plus(plus(used(REQUEST), lines), priceWay(stepOf, plan.entry, bound) ?? used());
  const brief = used({ express: 1, ...SEGMENT });
  // A call that has to wait after all is taken up by a machine that can.
  const takenUp = (): Used => plus(brief, wayThrough(emit(plan, 'anywhere').definition, itemsOf, 'most'));
  const machine = (bound: Bound): Used => {
    if (tier === 'STANDARD') return wayThrough(definition, itemsOf, bound);
    return bound === 'most' && !isWaitFree(plan) ? takenUp() : brief;
  };
  const execute = (bound: Bound): Used => plus(works(bound), machine(bound));
  const all: RunCost[] = [{ op: 'execute', least: execute('least'), most: execute('most') }];
  return mayRunInPlace(plan) ? [...all, { op: 'wait', least: works('least'), most: works('most') }] : all;
}
