import { exitsFrom } from '../../compiler/plan/flow.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Wait } from '../../domain/runs/waits.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import type { EnginePorts } from '../ports.ts';
import { heldExecution } from './call-machines.ts';
import { ensureMachine } from './definitions.ts';
import { mayDetach } from './detached-waits.ts';
import { type ExecutionHandle, firstExecution, moveToExecution } from './executions.ts';

/** A history holds 25,000 events and an execution lives for a year (aws-facts, 1.1); both limits are kept with room. */
const MAX_HISTORY_EVENTS = 15_000;
const MAX_EXECUTION_MS = 340 * 86_400_000;

/** Whether a run must continue in a new execution before its wait begins: the present one would end before the wait does. */
export function shouldContinueAsNew({ historyEvents, express, executionBegan, wait }: runs.Run): boolean {
  if (express || historyEvents > MAX_HISTORY_EVENTS) return true;
  return wait !== undefined && wait.wake - executionBegan > MAX_EXECUTION_MS;
}

/**
 * Whether a run at this wait can be in the first task of its execution. If not, an earlier execution of the same name, which was
 * lost, has advanced the run.
 */
export async function canBeginAt(ports: EnginePorts, run: runs.Run, wait: Wait): Promise<boolean> {
  // Other waits, and checkpoints, have higher numbers.
  if (wait.number === 1 || run.executions > 1) return true;
  const plan = revisions.planOf(await revisions.need(ports, run.workflowId, run.revision));
  return exitsFrom(plan, [plan.entry]).waits.includes(wait.state);
}

/** Whether the run has made no progress since `before` was read; its log may have changed. */
const isUnchanged = (now: runs.Run, before: runs.Run): boolean =>
  now.status === 'pending' && now.updated === before.updated && now.executions === before.executions;

/**
 * Continues a pending run in a new execution of a machine, from where it stands. The execution before it ends with its next
 * step, or was lost: a machine tries for longer, and its end is reported.
 * Does nothing when the run has changed since it was read.
 */
export async function continueAsNew(ports: EnginePorts, run: runs.Run): Promise<void> {
  const next = await nextExecution(ports, run, false);
  await moveToExecution(ports, run, async (current) => (isUnchanged(current, run) ? next : undefined));
}

/** The new execution in which a run continues from where it stands, not started. */
export async function nextExecution(
  ports: EnginePorts,
  run: runs.Run,
  mayBeDetached = true,
): Promise<ExecutionHandle & Pick<runs.Run, 'historyEvents' | 'executionBegan'>> {
  if (runs.isQueued(run)) return { ...(await heldExecution(ports, run)), historyEvents: 0 };
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  const next = { executions: run.executions + 1, historyEvents: 0, executionBegan: ports.clock.now() };
  if (run.wait?.isWaiting === true) {
    const { executions } = next;
    return { ...next, ...(await firstExecution(ports, revision, run, { executions, mayBeDetached })) };
  }
  return { ...next, machine: await ensureMachine(ports, revision, 'anyState'), express: false, entryWait: 0 };
}

/** Chooses the execution of a run that stands at a wait, for the commit: another one if the present one ends there. */
export async function executionAtWait(ports: EnginePorts, plan: Plan, run: runs.Run): Promise<Partial<runs.RunFields>> {
  const mayMove = run.wait?.isWaiting === true && run.machine !== '';
  const mustMove = mayMove && (shouldContinueAsNew(run) || mayDetach(ports, plan, run));
  return mustMove ? nextExecution(ports, run) : {};
}
