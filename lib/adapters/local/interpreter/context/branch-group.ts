import type { CompiledState, Program } from '../program/program.ts';
import {
  type BranchGroup,
  type BranchGroupPlan,
  type Details,
  type Execution,
  NO_VARIABLES,
  type Phase,
  type Thread,
} from './thread.ts';

/** The properties of a new thread; `now` is in milliseconds since 1970. */
export interface ThreadProps {
  readonly execution: Execution;
  readonly parent?: Thread;
  readonly place: number;
  readonly program: Program;
  readonly input: string;
  readonly phase: Phase;
  readonly now: number;
}

/** Creates a thread in the first state of its program. It is not in the journal yet. */
export function newThread({ execution, parent, place, program, input, phase, now }: ThreadProps): Thread {
  const id = execution.threads++;
  const details: Details = { entered: now, retries: [] };
  return {
    ...{ execution, id, parent, place, program, phase, input, details },
    state: stateOf(program, program.start),
    variables: NO_VARIABLES,
    work: undefined,
    events: 0,
    live: true,
    stored: false,
    alarm: undefined,
    call: undefined,
    branchGroup: undefined,
  };
}

/**
 * The state of that name.
 * @throws Error when the program has no such state, which the check of a definition excludes.
 */
export function stateOf(program: Program, name: string): CompiledState {
  const state = program.states.get(name);
  if (!state) throw new Error(`there is no state ${name}`);
  return state;
}

/**
 * The program of the branch with that index: the one item processor of a Map, or the branch of a Parallel.
 * @throws Error when the state has no such branch.
 */
export function programOf(parent: Thread, place: number): Program {
  const program = parent.state.branches[parent.state.type === 'Map' ? 0 : place];
  if (!program) throw new Error(`the state ${parent.state.name} has no branch ${place}`);
  return program;
}

/** A branch group of which no branch has started. */
export function newBranchGroup(plan: BranchGroupPlan): BranchGroup {
  return { plan, children: [], running: 0 };
}

/** Creates the branches that may start now: as many as the plan's width allows. They are not in the journal yet. */
export function startNextBranches(parent: Thread, now: number): Thread[] {
  const { branchGroup: group, execution } = parent;
  if (!group) return [];
  const { plan, children } = group;
  const first = children.length;
  const count = Math.max(Math.min(plan.width - group.running, plan.total - first), 0);
  const started = Array.from({ length: count }, (_, index) => {
    const place = first + index;
    const beginning = plan.items
      ? { input: 'null', phase: 'item' as const }
      : { input: plan.input ?? 'null', phase: 'ready' as const };
    return newThread({ execution, parent, place, program: programOf(parent, place), now, ...beginning });
  });
  children.push(...started);
  group.running += started.length;
  return started;
}

/** Whether all branches of the plan have ended. */
export function isComplete({ plan, children, running }: BranchGroup): boolean {
  return running === 0 && children.length === plan.total;
}

/** The outputs of the branches as one JSON array, in the order of their index. */
export function outputsOf({ children }: BranchGroup): string {
  return `[${children.map(({ work }) => work).join(',')}]`;
}

/** The thread and all threads below it. */
export function* withDescendants(thread: Thread): Generator<Thread> {
  yield thread;
  for (const child of thread.branchGroup?.children ?? []) yield* withDescendants(child);
}

/** Removes the thread's branch group. Returns all threads below it; their history events now count for the thread. */
export function dissolve(thread: Thread): Thread[] {
  const removed = (thread.branchGroup?.children ?? []).flatMap((child) => [...withDescendants(child)]);
  for (const { events } of removed) thread.events += events;
  thread.branchGroup = undefined;
  return removed;
}
