import { emit } from '../compiler/emit/emit.ts';
import {
  type CalleeKind,
  calleeOf,
  callsComputedSubflow,
  callsLongLambda,
  hasNoLikelyWait,
  isLikelyToWait,
  mayWait,
  usesMailSetting,
} from '../compiler/plan/execution.ts';
import { successors } from '../compiler/plan/flow.ts';
import { type NativeImage, nativeImageOfAction, onlyComputes } from '../compiler/plan/native-images.ts';
import type { ActionPlan, Plan, StatePlan, WorkKind, WorkOf } from '../compiler/plan/plan.ts';
import { actionsOf, exitsOf } from '../compiler/plan/traits.ts';
import { ownMember } from '../language/own-members.ts';
import { limitsOf } from './call-limits.ts';
import { type Circumstances, priceMachine, STEP, type Waits } from './machines.ts';
import { type Bound, plus, pricePath, type Step, used } from './paths.ts';
import type { Used } from './prices.ts';

/** The least and the most that a run uses if no state is entered twice. */
export interface RunCost {
  /** How the run starts: by a request with `op`, or by the `start` of its workflow. */
  readonly op: 'execute' | 'wait' | 'webhook' | 'event';
  readonly least: Used;
  readonly most: Used;
}

/*
 * Amounts as measured in bench/calls.json, for data below 1 KB. A test compares them.
 */
const REQUEST = { requests: 1, lambdas: 1, readUnits: 2, writeUnits: 3 };
/** The first call of the steps function by a machine, and its choice of the next state. */
const FIRST_STEP = { ...STEP, transitions: 2 };
/** A place in the concurrency of the workflow: it is taken when the run is stored, and released after its end. */
const PLACE = { readUnits: 3, writeUnits: 6 };
/** A start that the rate of the workflow counts: the run is stored with it. */
const RATED = { readUnits: 1, writeUnits: 5 };
/**
 * A run that a debounce or a batch holds back: its start is noted, and an execution waits, calls the step and ends. The run itself begins in
 * an execution of its own.
 */
const HELD = { transitions: 4, lambdas: 1, readUnits: 3, writeUnits: 7 };
const EVENT = { events: 1, lambdas: 1, readUnits: 3, writeUnits: 7 };
/** The time after which a run that waits is late: the event waits in an execution, and finds the run. */
const LATE = { ...EVENT, transitions: 3 };
/** A child run that ends within the step is stored once; the revision is read once for all of them. */
const CHILD = { writeUnits: 3 };
const CHILDREN = { readUnits: 2 };
/** No child begins before its caller is stored. */
const CALLER = { writeUnits: 2 };
/** A native function is called within the step, which commits before it; its calls are not stored. */
const CHECKPOINT = { writeUnits: 3 };
/** The setting of the namespace that names the server of a mail. */
const MAIL_SERVER = { readUnits: 1 };
/** The amounts that a long invocation of Lambda adds to its task: a child with its own execution runs the function. */
const INVOCATION = { transitions: 4, lambdas: 2, readUnits: 7, writeUnits: 3 };
/**
 * The offer, the lease and the end of a worker's task: two requests of the worker. The first one may wait, the second
 * one resumes the run.
 */
const TASK = { requests: 2, lambdas: 2, readUnits: 10, writeUnits: 9 };
/** The request that decides an approval, beside the wait that it ends. */
const DECISION = { requests: 1, lambdas: 1, readUnits: 3, writeUnits: 6 };
/** An event that a request sends, beside the run that it starts or the wait that it ends. */
const ARRIVAL = { requests: 1, lambdas: 2, events: 1, readUnits: 4, writeUnits: 6 };
/** The amounts that a start by a webhook or an event adds to a start by a request. */
const STARTS = {
  webhook: { readUnits: 2, writeUnits: 1 },
  event: { lambdas: 1, events: 1, readUnits: 3, writeUnits: 4 },
} as const;
const VARIABLE = { read: { readUnits: 1 }, written: { readUnits: 1, writeUnits: 3 } };
/** The counter of the quota, which the variables of a state that are new or grow share. */
const COUNTER = { writeUnits: 2 };
/** A file in the root; each directory in its path is one unit more. */
const FILE = { readUnits: 2 };
/** Log lines and the record of states make the run's item larger, until they are stored in items of their own. */
const STATES_PER_UNIT = 10;
const MAX_STATE_UNITS = 4;

const childrenOf = (count: number): Used => plus(plus(used(), CHILDREN), CHILD, count);

/** The image that Weft serves itself in place of a container, if an action calls one. */
function imageOf({ functions }: Plan, action: ActionPlan): NativeImage | undefined {
  const called = Object.hasOwn(functions, action.function) ? functions[action.function] : undefined;
  return called && nativeImageOfAction(called, action);
}

/** Whether an action calls an image that Weft serves within the step. */
function isComputed(plan: Plan, action: ActionPlan): boolean {
  const image = imageOf(plan, action);
  return image !== undefined && onlyComputes(image);
}

const isNative = (plan: Plan, action: ActionPlan): boolean =>
  calleeOf(plan, action) === 'native' && !callsLongLambda(plan, action);

/** The amounts that the calls of a state use; each of its actions is called `times` times. */
function callsOf({ plan, bound }: Context, actions: readonly ActionPlan[], times = 1): Used {
  const stepped = actions.filter((action) => !isComputed(plan, action));
  const count = (kind: CalleeKind): number =>
    stepped.filter((action) => calleeOf(plan, action) === kind).length * times;
  const children = count('subflow') + count('container');
  const stored = children === 0 ? used() : childrenOf(children);
  const withTasks = plus(stored, TASK, count('worker'));
  const long = actions.filter((action) => callsLongLambda(plan, action)).length * times;
  const mails = actions.filter((action) => usesMailSetting(plan, action)).length * times;
  const withMails = plus(plus(withTasks, INVOCATION, long), MAIL_SERVER, mails);
  const withInvocations = plus(withMails, limitsOf(plan, actions, bound), times);
  return count('native') === long ? withInvocations : plus(withInvocations, CHECKPOINT);
}

/** The most calls of one state within the request that starts a run; for more calls the run moves to a machine. */
const MAX_CALLS_IN_REQUEST = 8;

const sendsRequest = (plan: Plan, action: ActionPlan): boolean =>
  calleeOf(plan, action) === 'native' || (imageOf(plan, action) !== undefined && !isComputed(plan, action));

/** Whether a machine begins or continues a run before it waits: a state makes many calls, or sends requests. */
const leavesRequest = (plan: Plan, items: number): boolean =>
  Object.values(plan.states).some(({ work }) => {
    const actions = actionsOf(work);
    const count = work.do === 'each' ? items : actions.length;
    return (
      count > MAX_CALLS_IN_REQUEST ||
      actions.some((action) => sendsRequest(plan, action) || callsComputedSubflow(plan, action))
    );
  });

interface Context {
  readonly plan: Plan;
  /** The number of items of each `foreach`. */
  readonly items: number;
  readonly bound: Bound;
}

type Usage<K extends WorkKind> = (work: WorkOf<K>, context: Context) => Partial<Used>;

const nothing = (): Partial<Used> => ({});

/** The amounts that each kind of work uses in its batch; those of its wait are counted from the state machine. */
const USAGE: { readonly [K in WorkKind]: Usage<K> } = {
  nothing,
  choose: nothing,
  validate: nothing,
  raise: nothing,
  sleep: nothing,
  listen: ({ mode, events }) => plus(used(), ARRIVAL, mode === 'all' ? events.length : 1),
  'listen-any': () => ARRIVAL,
  read: ({ variables }) => {
    const files = variables.filter(({ scope }) => scope === 'file').length;
    return plus(plus(used(), VARIABLE.read, variables.length - files), FILE, files);
  },
  write: ({ variables }) => plus(plus(used(), VARIABLE.written, variables.length), COUNTER),
  emit: () => EVENT,
  approve: ({ notify }, context) =>
    plus(notify === undefined ? used() : plus(callsOf(context, [notify]), CHECKPOINT), DECISION),
  call: ({ action }, context) => callsOf(context, [action]),
  each: ({ action }, context) => callsOf(context, [action], context.items),
  all: ({ actions }, context) => callsOf(context, actions),
};

function stepOfState(state: StatePlan, context: Context): Step {
  const { work } = state;
  const usageOf = USAGE[work.do] as Usage<WorkKind>;
  return { uses: usageOf(work, context), next: successors(state), ends: mayEnd(state) };
}

const mayEnd = ({ work, exit }: StatePlan): boolean =>
  [exit, ...exitsOf(work)].some(({ transition }) => transition === undefined || transition === '');

/** Whether a state makes all its calls within the step, although containers could serve them. */
const isAtOnce = (plan: Plan, { work }: StatePlan): boolean => {
  const actions = actionsOf(work);
  return (work.do === 'call' && work.async) || (actions.length > 0 && actions.every((one) => isComputed(plan, one)));
};

/** Whether a run may end without a wait: by states that neither wait nor make calls that take time. */
function mayEndInPlace(plan: Plan): boolean {
  const seen = new Set<string>();
  const open = [plan.entry];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const state = Object.hasOwn(plan.states, id) ? plan.states[id] : undefined;
    if (state === undefined || seen.has(id)) continue;
    seen.add(id);
    if (isLikelyToWait(plan, state) && !isAtOnce(plan, state)) continue;
    if (mayEnd(state)) return true;
    open.push(...successors(state));
  }
  return false;
}

/** The amounts that a start by a webhook or by events adds to one by a request; undefined for other workflows. */
function startOf({ start }: Plan): { readonly op: 'webhook' | 'event'; readonly uses: Used } | undefined {
  if (start.type === 'webhook') return { op: 'webhook', uses: used(STARTS.webhook) };
  if (!('events' in start)) return undefined;
  const further = start.type === 'eventsAnd' ? start.events.length - 1 : 0;
  return { op: 'event', uses: plus(used(STARTS.event), ARRIVAL, further) };
}

function callsFirst(plan: Plan): boolean {
  const first = ownMember(plan.states, plan.entry);
  return first !== undefined && actionsOf(first.work).some((action) => isNative(plan, action));
}

const NO_STEP: Step = { uses: {}, next: [], ends: true };

/** The steps of a plan by the ids of their states. */
const stepsIn =
  (context: Context) =>
  (id: string): Step => {
    const state = ownMember(context.plan.states, id);
    return state === undefined ? NO_STEP : stepOfState(state, context);
  };

/** Whether each run is held back before it begins. */
const isHeld = ({ debounce, start }: Plan): boolean =>
  debounce !== undefined || ('batch' in start && start.batch !== undefined);

/** The amounts that the fields of a plan add which say when its runs begin. */
const controlOf = ({ concurrency, rate }: Plan): Used =>
  plus(plus(used(), PLACE, concurrency === undefined ? 0 : 1), RATED, rate === undefined ? 0 : 1);

/**
 * The amounts that a run of a plan uses besides the duration of Lambda functions, if it begins in the request that
 * starts it; `items` is the number of items of each `foreach`, `waits` the setting of the installation.
 */
export function priceRuns(plan: Plan, items: number, waits: Waits = 'machine'): RunCost[] {
  const { definition, tier } = emit(plan);
  const itemsOf = (id: string): number => {
    const work = Object.hasOwn(plan.states, id) ? plan.states[id]?.work : undefined;
    return work?.do === 'all' ? work.actions.length : items;
  };
  const circumstances = (bound: Bound): Circumstances => ({ plan, itemsOf, waits, bound });
  const states = Math.floor(Object.keys(plan.states).length / STATES_PER_UNIT);
  const bytes = { writeUnits: Math.min(states, MAX_STATE_UNITS) };
  const works = (bound: Bound): Used => {
    const path = pricePath(stepsIn({ plan, items, bound }), plan.entry, bound) ?? used();
    const isTimed = plan.expected !== undefined && (waitsSurely || (bound === 'most' && !waitsNever));
    return plus(plus(plus(plus(used(REQUEST), controlOf(plan)), bytes), path), LATE, isTimed ? 1 : 0);
  };
  const express = used({ express: 1, ...STEP });
  // A run that must wait is continued by a machine that can wait.
  const continued = (): Used => plus(express, priceMachine(emit(plan, 'anyState').definition, circumstances('most')));
  const waitsNever = !Object.values(plan.states).some((state) => mayWait(state) && !isAtOnce(plan, state));
  const waitsSurely = !mayEndInPlace(plan);
  // If the run must wait for its calls, a machine that begins at this wait continues it.
  const fromWait = (bound: Bound): Used =>
    waitsNever || (bound === 'least' && !waitsSurely)
      ? used()
      : priceMachine(emit(plan, 'firstWait').definition, circumstances(bound));
  const machine = (bound: Bound): Used => {
    if (tier === 'EXPRESS') return bound === 'most' && !waitsNever ? continued() : express;
    // The machine begins with a step, and a choice leads to the wait at which the step stopped.
    return waitsSurely ? plus(fromWait(bound), FIRST_STEP) : priceMachine(definition, circumstances(bound));
  };
  // The run is stored when its machine begins: its first state needs no commit before a call.
  const stored = callsFirst(plan) ? -1 : 0;
  const callsChildren = Object.values(plan.states).some(({ work }) => actionsOf(work).length > 0);
  const held = (bound: Bound): Used => plus(plus(works(bound), machine(bound)), HELD);
  const begin = (bound: Bound): Used =>
    leavesRequest(plan, items)
      ? plus(plus(works(bound), machine(bound)), CHECKPOINT, stored)
      : plus(plus(works(bound), fromWait(bound)), CALLER, callsChildren ? 1 : 0);
  const execute = isHeld(plan) ? held : begin;
  const all: RunCost[] = [{ op: 'execute', least: execute('least'), most: execute('most') }];
  if (hasNoLikelyWait(plan) && !isHeld(plan)) all.push({ op: 'wait', least: works('least'), most: works('most') });
  const begun = startOf(plan);
  if (begun === undefined) return all;
  const started = (bound: Bound): Used => plus(execute(bound), begun.uses);
  return [...all, { op: begun.op, least: started('least'), most: started('most') }];
}
