import * as runs from '../../../domain/runs/runs.ts';
import { callerWith, type HoldingTask } from '../../../domain/runs/waits.ts';
import * as revisions from '../../../domain/tree/revisions.ts';
import { callExecution } from '../../machines/call-machines.ts';
import { type ExecutionHandle, firstExecution, moveToExecution } from '../../machines/executions.ts';
import { sealInput } from '../../native/inputs.ts';
import type { EnginePorts, RunnerPorts } from '../../ports.ts';
import { notifyPolls } from '../../workers/offering.ts';

/** Stores a child; one that is stored already stays as it is. Returns the child as stored. */
export async function storeChild(ports: RunnerPorts, child: runs.Run): Promise<runs.Run> {
  return (await runs.store(ports, await sealInput(ports, child))).run;
}

async function executionFor(ports: EnginePorts, child: runs.Run): Promise<ExecutionHandle> {
  if (child.kind === 'call') return callExecution(ports, child);
  return firstExecution(ports, await revisions.need(ports, child.workflowId, child.revision), child);
}

/**
 * Starts an execution for a stored child, which ends the task when the child ends. Safe to repeat with another task: the
 * last one counts. Returns the child as it is stored then. The task of a worker needs no execution.
 */
export async function launch(ports: EnginePorts, child: runs.Run, task: HoldingTask): Promise<runs.Run> {
  if (runs.isTask(child)) {
    notifyPolls(child);
    return child;
  }
  return moveToExecution(ports, child, async (current) => {
    if (current.status !== 'pending') return undefined;
    const { parent } = current;
    const execution = current.machine === '' ? await executionFor(ports, current) : {};
    return { ...(parent === undefined ? {} : { parent: callerWith(parent, task) }), ...execution };
  });
}
