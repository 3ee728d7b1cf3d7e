import * as runs from '../../domain/runs/runs.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { ConflictError } from '../../ports/table.ts';
import type { EnginePorts } from '../ports.ts';
import { defineResuming } from './machines.ts';

/** A history holds 25,000 events and an execution lives a year (aws-facts, 1.1); both with room to spare. */
const MOST_EVENTS = 15_000;
const LONGEST_LIFE_MS = 340 * 86_400_000;

/** Whether the present execution should not carry the run through its next wait. */
export function isOutgrown({ events, brief, began, pause }: runs.Run): boolean {
  return brief || events > MOST_EVENTS || (pause !== undefined && pause.wake - began > LONGEST_LIFE_MS);
}

/** Whether a run stands where it stood: only its log has changed, or nothing. */
const isSame = (now: runs.Run, before: runs.Run): boolean =>
  now.status === 'pending' && now.updated === before.updated && now.executions === before.executions;

/**
 * Lets a new execution carry a pending run on from where it stands; an older one that still asks is told that it is
 * over. Nothing happens when the run changed in the meantime.
 */
export async function handOver(ports: EnginePorts, run: runs.Run): Promise<void> {
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  const machine = await defineResuming(ports, revision);
  let current: runs.Run | undefined = run;
  while (current !== undefined && isSame(current, run)) {
    const carrier = { executions: run.executions + 1, machine, events: 0, brief: false, began: ports.clock.now() };
    try {
      const stored = await runs.commit(ports, { ...current, ...carrier, seq: current.seq + 1 });
      return await ports.executions.start(machine, runs.executionOf(stored), { run: stored.id });
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // A container that the run called may have written into its log.
      current = await runs.find(ports, run.id);
    }
  }
}
