import type { ActionPlan } from '../../compiler/plan/plan.ts';
import { storedCallPath } from '../../domain/runs/places.ts';
import * as runs from '../../domain/runs/runs.ts';
import { type CallKey, type CallMode, callerWith, type HoldingTask, type Parent } from '../../domain/runs/waits.ts';
import { stepsSince } from '../../domain/storage/spread.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import { type CallInput, newServiceCall, type ServiceCaller, serviceExecution } from '../containers/calls.ts';
import { admitChild, rootOf } from '../limits/starts.ts';
import { type ExecutionHandle, firstExecution, moveToExecution } from '../machines/executions.ts';
import { sealInput } from '../native/inputs.ts';
import type { EnginePorts, RunnerPorts } from '../ports.ts';
import { childId } from '../run/child-ids.ts';
import { newRun } from '../run/new-run.ts';
import { retryPolicyOf } from '../run/retry-decisions.ts';
import { newTask } from '../workers/callees.ts';
import { isTask, notifyPolls } from '../workers/offering.ts';
import type { Callee } from './callees.ts';

/** The state that calls. */
export interface Caller extends ServiceCaller {
  /** The part of its wait's `origin` in the ids of its calls. */
  readonly origin: number;
  readonly mode: CallMode;
}

/** A call to be made. */
export interface Call {
  readonly callee: Callee;
  readonly caller: Caller;
  readonly key: CallKey;
  readonly input: CallInput;
  /** The task of a machine that waits for the child; none by default. */
  readonly task?: HoldingTask;
}

/** Stands for no task: the end of the child ends none. */
export const NO_TASK: HoldingTask = { token: '' };

function parentOf({ caller: { run, wake, mode }, key: { i, k }, task = NO_TASK }: Call, action: ActionPlan): Parent {
  const retries = retryPolicyOf(action);
  const caller = { id: run.id, i, k, mode, until: wake, token: '' };
  return { ...callerWith(caller, task), ...(retries === undefined ? {} : { retries }) };
}

/** The settings of the task of a worker: over how many partitions its queue is spread, as its caller knows it. */
function taskSettings({ settings, created }: runs.Run, { settings: { spread } }: runs.Run): runs.Run['settings'] {
  return spread === undefined ? settings : { ...settings, spread: stepsSince(spread, created) };
}

/** The child of a call, not stored yet. Throws the catchable `limits.*` for a subflow that exceeds a limit. */
export async function newChild(ports: RunnerPorts, call: Call): Promise<runs.Run> {
  const { callee, caller, key, input } = call;
  const { run, origin } = caller;
  const id = childId(run, origin, key);
  const parent = parentOf(call, callee.action);
  const trace = run.trace === undefined ? {} : { trace: run.trace };
  // The trace of a caller that is no child itself follows from its id.
  const top = run.root === undefined ? {} : { root: run.root };
  if (callee.kind === 'service') {
    const revision = await callee.revisionFor(id);
    const child = newServiceCall(ports, { id, target: { revision }, caller, parent, input });
    return { ...child, ...trace, ...top, updated: origin };
  }
  if (callee.kind === 'native') {
    const named = { function: callee.function, key: childId(run, origin, { i: key.i, k: 0 }) };
    const native = input.byMachine === true ? { ...named, byMachine: true as const } : named;
    const child = newServiceCall(ports, { id, target: { revision: '', native }, caller, parent, input });
    return { ...child, ...trace, root: rootOf(run), updated: origin };
  }
  if (callee.kind === 'worker') {
    const worker = newTask(input, childId(run, origin, { i: key.i, k: 0 }));
    const child = newServiceCall(ports, { id, target: { revision: '', worker }, caller, parent, input });
    return { ...child, ...trace, ...top, updated: origin, settings: taskSettings(child, run) };
  }
  await admitChild(ports, run, callee.opened.namespace);
  return {
    ...newRun(ports, callee.opened, input.input, `instance:${run.id}`),
    id,
    updated: origin,
    root: rootOf(run),
    ...omitUndefined({ callPath: storedCallPath(run) }),
    ...(caller.isLoop ? { loopIndex: key.i } : {}),
    depth: run.depth + 1,
    threads: run.threads,
    parent,
    ...trace,
  };
}

/** Stores a child; one that is stored already stays as it is. Returns the child as stored. */
export async function storeChild(ports: RunnerPorts, child: runs.Run): Promise<runs.Run> {
  return (await runs.store(ports, await sealInput(ports, child))).run;
}

async function executionFor(ports: EnginePorts, child: runs.Run): Promise<ExecutionHandle> {
  if (child.service !== undefined) return serviceExecution(ports, child);
  return firstExecution(ports, await revisions.need(ports, child.workflowId, child.revision), child);
}

/**
 * Starts an execution for a stored child, which ends the task when the child ends. Safe to repeat with another task: the
 * last one counts. Returns the child as it is stored then. The task of a worker needs no execution.
 */
export async function launch(ports: EnginePorts, child: runs.Run, task: HoldingTask): Promise<runs.Run> {
  if (isTask(child)) {
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
