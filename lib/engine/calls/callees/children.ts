import * as runs from '../../../domain/runs/runs.ts';
import { type AwaitingTask, callerWith } from '../../../domain/runs/waits.ts';
import * as revisions from '../../../domain/tree/revisions.ts';
import { admit, admitCall, driveCall } from '../../admission/admission.ts';
import { callExecution } from '../../machines/call-machines.ts';
import { type ExecutionHandle, firstExecution, moveToExecution } from '../../machines/executions.ts';
import { sealInput } from '../../native/inputs.ts';
import type { DeliveryPorts, EnginePorts, RunnerPorts } from '../../ports.ts';
import { notifyPolls } from '../../workers/offering.ts';

/** Stores a child; one that is stored already stays as it is. Returns the child as stored. */
export async function storeChild(ports: RunnerPorts, child: runs.Run): Promise<runs.Run> {
  return (await runs.store(ports, await sealInput(ports, child))).run;
}

async function executionFor(ports: EnginePorts, child: runs.Run): Promise<ExecutionHandle> {
  if (child.kind === 'call') return callExecution(ports, child);
  return firstExecution(ports, await revisions.need(ports, child.workflowId, child.revision), child);
}

/** Lets a child that has not begun take a place in the concurrency of its workflow or function. Returns it as it is stored then. */
async function admitStored(ports: DeliveryPorts, child: runs.Run): Promise<runs.Run> {
  if (child.kind === 'call') return admitCall(ports, child);
  const mayBegin = child.kind === 'workflow' && child.status === 'pending' && child.machine === '';
  if (!mayBegin) return child;
  return (await admit(ports, await revisions.need(ports, child.workflowId, child.revision), child)).run;
}

/** Notes the task that a queued child ends. It has an execution when it has a place. */
async function noteTask(ports: DeliveryPorts, child: runs.Run, task: AwaitingTask): Promise<runs.Run> {
  const { run } = await runs.update(ports, child, (current) => {
    const { parent, status } = current;
    if (status !== 'pending' || parent === undefined || parent.token === task.token) return undefined;
    return { run: { ...current, parent: callerWith(parent, task) } };
  });
  return run;
}

/**
 * Starts an execution for a stored child, which ends the task when the child ends. Safe to repeat with another task: the
 * last one counts. Returns the child as it is stored then. The task of a worker needs no execution.
 */
export async function launch(ports: DeliveryPorts, stored: runs.Run, task: AwaitingTask): Promise<runs.Run> {
  if (runs.isTask(stored)) {
    notifyPolls(stored);
    return stored;
  }
  const child = await admitStored(ports, stored);
  if (runs.isQueued(child)) {
    const held = await noteTask(ports, child, task);
    // The process that stored a call may have crashed before it did this, and only its caller leads to a call.
    await driveCall(ports, held);
    return held;
  }
  return moveToExecution(ports, child, async (current) => {
    if (current.status !== 'pending') return undefined;
    const { parent } = current;
    const execution = current.machine === '' ? await executionFor(ports, current) : {};
    return { ...(parent === undefined ? {} : { parent: callerWith(parent, task) }), ...execution };
  });
}
