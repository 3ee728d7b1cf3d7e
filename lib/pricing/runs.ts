import { type Branch, INVOKE_AND_WAIT, type State } from '../compiler/emit/asl.ts';
import { emit } from '../compiler/emit/emit.ts';
import { type CalleeKind, calleeOf, callsLongLambda, isWaitFree, mayRunInPlace } from '../compiler/plan/execution.ts';
import { exitsFrom, successors } from '../compiler/plan/flow.ts';
import type { ActionPlan, Plan, StatePlan, WorkKind, WorkOf } from '../compiler/plan/plan.ts';
import { actionsOf, exitsOf } from '../compiler/plan/traits.ts';
import { type Bound, plus, pricePath, type Step, used } from './paths.ts';
import type { Used } from './prices.ts';

/** The least and the most that a run uses if no state is entered twice. */
export interface RunCost {
  readonly op: 'execute' | 'wait';
  readonly least: Used;
  readonly most: Used;
}

/*
 * Amounts as measured in bench/calls.json, for data below 1 KB. A test compares them.
 */
const REQUEST = { requests: 1, lambdas: 1, readUnits: 2, writeUnits: 3 };
/** One call of the steps function: it reads the run and commits it. */
const STEP = { lambdas: 1, readUnits: 1, writeUnits: 2 };
/** A call that the run waits for: its task, and what ends it. */
const CALLING = { lambdas: 1, readUnits: 2, writeUnits: 5 };
/** A wait with a listener, which is written before it. What ends the wait also runs the states after it. */
const LISTENING = { ...CALLING, readUnits: 3, writeUnits: 7 };
/** A delay that a timer ends: the task that sets it, and its call. */
const SLEEPING = { lambdas: 2, timers: 1, readUnits: 3, writeUnits: 3 };
const EVENT = { events: 1, lambdas: 1, readUnits: 3, writeUnits: 7 };
/** A child run that ends within the step is stored once; the revision is read once for all of them. */
const CHILD = { writeUnits: 3 };
const CHILDREN = { readUnits: 2 };
/** No child begins before its caller is stored. */
const CALLER = { writeUnits: 2 };
/** A native function is called within the step, which commits before it; its calls are not stored. */
const CHECKPOINT = { writeUnits: 3 };
/** What a long invocation of Lambda adds to its task: a child with an execution of its own, in which the function runs. */
const INVOCATION = { transitions: 4, lambdas: 2, readUnits: 7, writeUnits: 3 };
/** The task of a worker, by which it is offered, taken and ended: two requests of the worker, of which the first may wait. */
const TASK = { requests: 2, lambdas: 2, readUnits: 12, writeUnits: 12 };
const VARIABLE = { read: { readUnits: 1 }, written: { readUnits: 1, writeUnits: 3 } };
/** A file in the root; each directory in its path is one unit more. */
const FILE = { readUnits: 2 };
/** Log lines and the record of states make the run's item larger, until they are stored in items of their own. */
const STATES_PER_UNIT = 10;
const MAX_STATE_UNITS = 4;

const childrenOf = (count: number): Used => plus(plus(used(), CHILDREN), CHILD, count);

const isNative = (plan: Plan, action: ActionPlan): boolean =>
  calleeOf(plan, action) === 'native' && !callsLongLambda(plan, action);

/** What the calls of a state use; each of its actions is called `times` times. */
function callsOf(plan: Plan, actions: readonly ActionPlan[], times = 1): Used {
  const count = (kind: CalleeKind): number =>
    actions.filter((action) => calleeOf(plan, action) === kind).length * times;
  const children = count('subflow') + count('container');
  const stored = children === 0 ? used() : childrenOf(children);
  const withTasks = plus(stored, TASK, count('worker'));
  const long = actions.filter((action) => callsLongLambda(plan, action)).length * times;
  const withInvocations = plus(withTasks, INVOCATION, long);
  return count('native') === long ? withInvocations : plus(withInvocations, CHECKPOINT);
}

/** As many calls of one state are made within the request that starts a run; a machine makes more of them. */
const MAX_CALLS_IN_REQUEST = 8;

/** Whether a machine begins or continues a run before it waits: a state makes many calls, or sends requests. */
const leavesRequest = (plan: Plan, items: number): boolean =>
  Object.values(plan.states).some(({ work }) => {
    const actions = actionsOf(work);
    const count = work.do === 'each' ? items : actions.length;
    return count > MAX_CALLS_IN_REQUEST || actions.some((action) => calleeOf(plan, action) === 'native');
  });

interface Context {
  readonly plan: Plan;
  /** The number of items of each `foreach`. */
  readonly items: number;
}

type Usage<K extends WorkKind> = (work: WorkOf<K>, context: Context) => Partial<Used>;

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
  approve: ({ notify }, { plan }) => (notify === undefined ? {} : plus(callsOf(plan, [notify]), CHECKPOINT)),
  call: ({ action }, { plan }) => callsOf(plan, [action]),
  each: ({ action }, { plan, items }) => callsOf(plan, [action], items),
  all: ({ actions }, { plan }) => callsOf(plan, actions),
};

function stepOfState(state: StatePlan, context: Context): Step {
  const { work } = state;
  const usageOf = USAGE[work.do] as Usage<WorkKind>;
  return { uses: usageOf(work, context), next: successors(state), ends: mayEnd(state) };
}

const mayEnd = ({ work, exit }: StatePlan): boolean =>
  [exit, ...exitsOf(work)].some(({ transition }) => transition === undefined || transition === '');

/** The next states of a machine's state without failures. */
function nextOf(state: State): string[] {
  if (state.Type === 'Choice')
    return [...state.Choices.map(({ Next }) => Next), ...(state.Default ? [state.Default] : [])];
  return 'Next' in state && state.Next !== undefined ? [state.Next] : [];
}

/** The number of parallel calls of a state, by its id, which is its name in the machine. */
type ItemsOf = (id: string) => number;

/** What entering a state of a machine uses. */
function usesOf(name: string, state: State, itemsOf: ItemsOf, bound: Bound): Partial<Used> {
  const entered = used({ transitions: 1 });
  if (state.Type === 'Map') return plus(entered, priceMachine(state.ItemProcessor, itemsOf, bound), itemsOf(name));
  if (state.Type !== 'Task') return entered;
  if (state.Resource !== INVOKE_AND_WAIT) return plus(entered, STEP);
  const payload = JSON.stringify(state.Arguments);
  if (payload.includes('"sleep":')) return plus(entered, SLEEPING);
  return plus(entered, payload.includes('"listen":') ? LISTENING : CALLING);
}

function priceMachine({ StartAt, States }: Branch, itemsOf: ItemsOf, bound: Bound): Used {
  const stepOf = (name: string): Step => {
    const state = States[name] as State;
    const next = nextOf(state);
    return { uses: usesOf(name, state, itemsOf, bound), next, ends: next.length === 0 };
  };
  return pricePath(stepOf, StartAt, bound) ?? used();
}

/**
 * What a run of a plan uses besides the duration of Lambda functions, if it begins in the request that starts it;
 * `items` is the number of items of each `foreach`.
 */
export function priceRuns(plan: Plan, items: number): RunCost[] {
  const { definition, tier } = emit(plan);
  const itemsOf = (id: string): number => {
    const work = Object.hasOwn(plan.states, id) ? plan.states[id]?.work : undefined;
    return work?.do === 'all' ? work.actions.length : items;
  };
  const stepOf = (id: string): Step => {
    const state = Object.hasOwn(plan.states, id) ? plan.states[id] : undefined;
    return state === undefined ? { uses: {}, next: [], ends: true } : stepOfState(state, { plan, items });
  };
  const states = Math.floor(Object.keys(plan.states).length / STATES_PER_UNIT);
  const bytes = { writeUnits: Math.min(states, MAX_STATE_UNITS) };
  const works = (bound: Bound): Used =>
    plus(plus(used(REQUEST), bytes), pricePath(stepOf, plan.entry, bound) ?? used());
  const express = used({ express: 1, ...STEP });
  // A run that must wait is continued by a machine that can wait.
  const continued = (): Used => plus(express, priceMachine(emit(plan, 'anywhere').definition, itemsOf, 'most'));
  const machine = (bound: Bound): Used => {
    if (tier === 'STANDARD') return priceMachine(definition, itemsOf, bound);
    return bound === 'most' && !isWaitFree(plan) ? continued() : express;
  };
  // The run waits for its calls, if it must, in a machine that begins there.
  const fromWait = (bound: Bound): Used =>
    isWaitFree(plan) || (bound === 'least' && exitsFrom(plan, [plan.entry]).mayEnd)
      ? used()
      : priceMachine(emit(plan, 'wait').definition, itemsOf, bound);
  const first = plan.states[plan.entry];
  const callsFirst = first !== undefined && actionsOf(first.work).some((action) => isNative(plan, action));
  // The run is stored when its machine begins: its first state needs no commit before a call.
  const stored = callsFirst ? -1 : 0;
  const callsChildren = Object.values(plan.states).some(({ work }) => actionsOf(work).length > 0);
  const execute = (bound: Bound): Used =>
    leavesRequest(plan, items)
      ? plus(plus(works(bound), machine(bound)), CHECKPOINT, stored)
      : plus(plus(works(bound), fromWait(bound)), CALLER, callsChildren ? 1 : 0);
  const all: RunCost[] = [{ op: 'execute', least: execute('least'), most: execute('most') }];
  return mayRunInPlace(plan) ? [...all, { op: 'wait', least: works('least'), most: works('most') }] : all;
}
