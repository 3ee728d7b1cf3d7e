import type { Program } from '../program/program.ts';
import {
  type Details,
  type Execution,
  type Family,
  type FamilyPlan,
  NO_VARIABLES,
  type Phase,
  type Thread,
} from './thread.ts';

export interface Birth {
  readonly execution: Execution;
  readonly parent?: Thread;
  readonly place: number;
  readonly program: Program;
  readonly input: string;
  readonly phase: Phase;
  readonly now: number;
}

/** A thread at the first state of its program, not yet in the journal. */
export function newThread({ execution, parent, place, program, input, phase, now }: Birth): Thread {
  const id = execution.threads++;
  const details: Details = { entered: now, retries: [] };
  return {
    ...{ execution, id, parent, place, program, phase, input, details },
    step: stepOf(program, program.start),
    variables: NO_VARIABLES,
    work: undefined,
    events: 0,
    live: true,
    stored: false,
    alarm: undefined,
    call: undefined,
    family: undefined,
  };
}

/** The state of that name. Throws if the program lacks it, which the check of a definition rules out. */
export function stepOf(program: Program, name: string): Thread['step'] {
  const step = program.steps.get(name);
  if (!step) throw new Error(`there is no state ${name}`);
  return step;
}

/** What the child at that place runs: the one processor of a Map, or the branch of a Parallel. */
export function programOf(parent: Thread, place: number): Program {
  const program = parent.step.programs[parent.step.type === 'Map' ? 0 : place];
  if (!program) throw new Error(`the state ${parent.step.name} has no branch ${place}`);
  return program;
}

export function newFamily(plan: FamilyPlan): Family {
  return { plan, children: [], running: 0 };
}

/** The children that may begin now: as many as the plan's width leaves room for. */
export function nextChildren(parent: Thread, now: number): Thread[] {
  const { family, execution } = parent;
  if (!family) return [];
  const { plan, children } = family;
  const first = children.length;
  const count = Math.min(plan.width - family.running, plan.total - first);
  const born = Array.from({ length: Math.max(count, 0) }, (_, index) => {
    const place = first + index;
    const way = plan.items
      ? { input: 'null', phase: 'item' as const }
      : { input: plan.input ?? 'null', phase: 'ready' as const };
    return newThread({ execution, parent, place, program: programOf(parent, place), now, ...way });
  });
  children.push(...born);
  family.running += born.length;
  return born;
}

/** Whether all children there will ever be have ended. */
export function isComplete({ plan, children, running }: Family): boolean {
  return running === 0 && children.length === plan.total;
}

/** The children's outputs in order of their place, as JSON text. */
export function gather({ children }: Family): string {
  return `[${children.map(({ work }) => work).join(',')}]`;
}

/** The thread and all below it. */
export function* lineage(thread: Thread): Generator<Thread> {
  yield thread;
  for (const child of thread.family?.children ?? []) yield* lineage(child);
}

/** Takes the children from the thread, and theirs from them. What they counted stays counted. */
export function disband(thread: Thread): Thread[] {
  const children = (thread.family?.children ?? []).flatMap((child) => [...lineage(child)]);
  for (const { events } of children) thread.events += events;
  thread.family = undefined;
  return children;
}
