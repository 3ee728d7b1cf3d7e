import { parseJson } from '../../../language/json-numbers.ts';
import type { Tier } from '../../../ports/executions.ts';
import { newBranchGroup, programOf, stateOf } from '../interpreter/context/branch-group.ts';
import type { BranchGroupPlan, Details, Execution, Phase, Thread } from '../interpreter/context/thread.ts';
import type { Program } from '../interpreter/program/program.ts';
import type { ExecutionRow, ThreadRow } from './schema.ts';

/** An execution from the journal, which has no threads yet. */
export function executionOf(row: ExecutionRow, tier: Tier): Execution {
  const { id, machine, name, handle, input, started, deadline } = row;
  return {
    ...{ id, machine, tier, handle, name, input, started },
    deadline: deadline ?? undefined,
    root: undefined,
    outcome: undefined,
    ended: undefined,
    events: 0,
    threads: 0,
    alarm: undefined,
    stored: true,
    asleep: true,
  };
}

/**
 * Restores the threads of an execution; parents come before their children. Throws when they do not match the program.
 */
export function reviveThreads(execution: Execution, program: Program, rows: readonly ThreadRow[]): void {
  const threads = new Map<number, Thread>();
  for (const row of rows) {
    const parent = row.parent === null ? undefined : threads.get(row.parent);
    const thread = threadOf(row, execution, parent, parent ? programOf(parent, row.place) : program);
    threads.set(thread.id, thread);
    if (parent) adopt(parent, thread);
    else execution.root = thread;
    execution.events += thread.events;
    execution.threads = Math.max(execution.threads, thread.id + 1);
  }
  if (!execution.root) throw new Error('the journal holds no thread of the execution');
}

function threadOf(row: ThreadRow, execution: Execution, parent: Thread | undefined, program: Program): Thread {
  const phase = row.phase as Phase;
  return {
    ...{ execution, id: row.id, parent, place: row.place, program, phase, input: row.input, events: row.events },
    state: stateOf(program, row.state),
    variables: { values: parseJson(row.variables) as Record<string, unknown>, text: row.variables },
    work: row.work ?? undefined,
    details: parseJson(row.details) as Details,
    live: true,
    stored: true,
    alarm: undefined,
    call: undefined,
    branchGroup: phase === 'children' ? newBranchGroup(parseJson(row.work ?? '{}') as BranchGroupPlan) : undefined,
  };
}

function adopt(parent: Thread, child: Thread): void {
  const { branchGroup: family } = parent;
  if (!family) throw new Error(`the state ${parent.state.name} has a child it does not wait for`);
  family.children.push(child);
  if (child.phase !== 'ended') family.running++;
}
