import { type Branch, INVOKE_AND_WAIT, type State } from '../compiler/emit/asl.ts';
import { durationMs, isDetachable, isDetachableInTable } from '../compiler/plan/execution.ts';
import type { Plan, Work } from '../compiler/plan/plan.ts';
import { ownMember } from '../language/own-members.ts';
import { type Bound, plus, pricePath, type Step, used } from './paths.ts';
import type { Used } from './prices.ts';

/*
 * Amounts as measured in bench/calls.json, for data below 1 KB. A test compares them.
 */
/** One call of the steps function: it reads the run and commits it. */
export const STEP = { lambdas: 1, readUnits: 1, writeUnits: 2 };
/** Where runs wait that need no machine: the values of the setting of an installation. */
export const WAITS = ['machine', 'table'] as const;
export type Waits = (typeof WAITS)[number];

/** A call that the run waits for: its task, and its end. */
const CALLING = { lambdas: 1, readUnits: 2, writeUnits: 5 };
/** A wait with a listener, which is written before it. The end of the wait also runs the states after it. */
const LISTENING = { ...CALLING, readUnits: 3, writeUnits: 7 };
/** A delay that a timer ends: the task that sets it, and its call. */
const SLEEPING = { lambdas: 2, timers: 1, readUnits: 3, writeUnits: 3 };
/** A call of the steps function by an execution of the tier EXPRESS, in place of a state of a machine. */
const DETACHED = { express: 1 };
/** The timer that limits a detached wait, which has no effect in the end. */
const LIMITED = { ...DETACHED, timers: 1, lambdas: 1, readUnits: 1 };

/** What the price of a machine depends on beside its definition. */
export interface Circumstances {
  readonly plan: Plan;
  /** The number of parallel calls of a state, by its id, which is its name in the machine. */
  readonly itemsOf: (id: string) => number;
  /** Where runs wait, a setting of the installation. */
  readonly waits: Waits;
  readonly bound: Bound;
}

/** The work of a state at which a run waits without its machine; undefined for any other state of a machine. */
function detachedWork({ plan, waits }: Circumstances, name: string): Work | undefined {
  const work = ownMember(plan.states, name)?.work;
  if (work === undefined) return undefined;
  return isDetachable(plan, work) || (waits === 'table' && isDetachableInTable(work)) ? work : undefined;
}

/** The next states of a machine's state without failures. */
function nextOf(state: State): string[] {
  if (state.Type === 'Choice')
    return [...state.Choices.map(({ Next }) => Next), ...(state.Default ? [state.Default] : [])];
  return 'Next' in state && state.Next !== undefined ? [state.Next] : [];
}

/** Whether a run has no machine at a state of it: at a detached wait, and where all or, for the least, one of the next are such. */
function isFree(name: string, state: State, how: Circumstances): boolean {
  if (detachedWork(how, name) !== undefined || state.Type === 'Succeed') return true;
  const [id = ''] = name.split(' …');
  if (state.Type !== 'Choice') return detachedWork(how, id) !== undefined;
  const free = nextOf(state).filter((next) => detachedWork(how, next) !== undefined);
  const isAfterDetached = detachedWork(how, id) !== undefined && how.bound === 'least';
  return isAfterDetached || (how.bound === 'least' ? free.length > 0 : free.length >= state.Choices.length);
}

/** The seconds for which an execution of the tier EXPRESS waits. */
function secondsOf(work: Work): number {
  return work.do === 'sleep' ? (durationMs(work.duration) ?? 0) / 1000 : 0;
}

/** The amounts that entering a state of a machine uses. */
function usesOf(name: string, state: State, how: Circumstances): Partial<Used> {
  const work = detachedWork(how, name);
  const transitions = isFree(name, state, how) ? 0 : 1;
  const entered = used({ transitions });
  if (state.Type === 'Map') return plus(entered, priceMachine(state.ItemProcessor, how), how.itemsOf(name));
  if (state.Type === 'Wait' && work !== undefined) {
    return plus(plus(entered, DETACHED), { expressSeconds: secondsOf(work) });
  }
  if (state.Type !== 'Task') return entered;
  if (state.Resource !== INVOKE_AND_WAIT) return plus(entered, STEP);
  const payload = JSON.stringify(state.Arguments);
  if (payload.includes('"sleep":')) return plus(plus(entered, SLEEPING), work === undefined ? {} : DETACHED);
  const waiting = plus(entered, payload.includes('"listen":') ? LISTENING : CALLING);
  return plus(waiting, work === undefined ? {} : LIMITED);
}

/** The amounts that the cheapest or the most expensive path through a machine uses. */
export function priceMachine({ StartAt, States }: Branch, how: Circumstances): Used {
  const stepOf = (name: string): Step => {
    const state = ownMember(States, name) as State;
    const next = nextOf(state);
    return { uses: usesOf(name, state, how), next, ends: next.length === 0 };
  };
  return pricePath(stepOf, StartAt, how.bound) ?? used();
}
