import { keepResult } from '../../domain/runs/call-results.ts';
import type { ContainerCallee } from '../../domain/runs/calls.ts';
import * as runs from '../../domain/runs/runs.ts';
import { callTraceparent } from '../../domain/runs/spans.ts';
import { toValue } from '../../language/byte-values.ts';
import type { ContainerResult } from '../../ports/containers.ts';
import { resultProblem, textProblem } from '../evaluation/bounds.ts';
import { INTERNAL, StateError } from '../evaluation/failures.ts';
import type { RunnerPorts } from '../ports.ts';
import { UnitOfWork } from '../run/commit/unit-of-work.ts';
import { CallerLog } from './caller-log.ts';
import { readFiles } from './files.ts';
import { hostOf } from './host.ts';
import { addOutputs, namedOutputs } from './outputs.ts';

/**
 * Notes that the container of a child is about to be called, for a call of mode `or`: when another call wins, a child
 * without this note is launched on its own. Returns the child as it stands; one with a machine of its own must not be
 * called by the caller's task.
 */
export async function noteBegin(ports: RunnerPorts, child: runs.Run): Promise<runs.Run> {
  const { run } = await runs.update(ports, child, (current) => {
    const isUnbegun = current.status === 'pending' && current.step === 0 && current.machine === '';
    return isUnbegun ? { run: { ...current, step: 1 } } : undefined;
  });
  return run;
}

type Called = runs.Call<ContainerCallee>;

/** Calls the container of a pending child and commits the result. Returns the child as it ended, or pending. */
export async function serveContainer(ports: RunnerPorts, child: Called, isAwaited: boolean): Promise<runs.Run> {
  const log = new CallerLog(ports, child.site, isAwaited);
  const result = await callContainer(ports, child, log).catch((error: unknown) =>
    failedCall(ports.settings.brand, error),
  );
  if (result === undefined) return (await runs.find(ports, child.id)) ?? child;
  const isLate = result.failure?.code === '' && ports.clock.now() >= child.site.until;
  if (!isLate || !isAwaited) return end(ports, child, result, log);
  await log.close();
  return child;
}

/** Undefined if the call was cancelled before it was made. Throws StateError for files that cannot be read. */
async function callContainer(ports: RunnerPorts, child: Called, log: CallerLog): Promise<ContainerResult | undefined> {
  const { callee, site, id, namespace, input } = child;
  const files = await readFiles(ports, child);
  if (!(await runs.isPending(ports, id))) return undefined;
  return ports.containers.call(callee.revision, {
    actionId: id,
    instanceId: site.caller,
    traceparent: callTraceparent({ id: site.caller, root: child.root, trace: child.trace }, id),
    namespace,
    step: site.step,
    ...(site.iterator === undefined ? {} : { iterator: site.iterator }),
    deadline: site.until,
    input,
    files,
    host: hostOf(ports, child, log),
  });
}

/** The result of a call that cannot be made as the action is written: it fails as if its container had. */
function failedCall(brand: string, error: unknown): ContainerResult {
  if (!(error instanceof StateError)) throw error;
  const failure = { code: `${brand}.${error.code}`, message: error.message };
  return { body: new Uint8Array(), failure, outputs: [] };
}

/** Commits the end of a call with its outputs. A call that was ended in the meantime stays as it is. */
async function end(ports: RunnerPorts, child: Called, result: ContainerResult, log: CallerLog): Promise<runs.Run> {
  const outputs = await namedOutputs(result.outputs, log);
  const { data, ...ending } = endingOf(ports.settings.brand, result);
  // Outputs of a call that has ended are not stored, so the child is read again before they are.
  const latest = outputs.length === 0 ? child : await runs.find(ports, child.id);
  let noteOutputs = async (): Promise<void> => {};
  const change = async (current: runs.Run): Promise<runs.Change | undefined> => {
    if (current.status !== 'pending') return undefined;
    const unit = new UnitOfWork(ports, current);
    unit.data = { ...data };
    noteOutputs = await addOutputs(unit, child.site, outputs, log);
    await log.close();
    return unit.prepareCommit(ending);
  };
  const ended = latest && (await runs.update(ports, latest, change));
  if (ended?.isCommitted) await noteOutputs();
  else await log.close();
  return ended?.run ?? child;
}

interface CallEnding {
  readonly status: Exclude<runs.Status, 'pending'>;
  readonly code: string;
  readonly message: string;
  readonly data: runs.Run['data'];
}

/** How a call ends with a result (workflow-language reference, 10.3 and 11.3): an empty answer is the empty text. */
function endingOf(brand: string, { body, failure }: ContainerResult): CallEnding {
  const crash = (message: string): CallEnding => ({
    status: 'crashed',
    code: `${brand}.${INTERNAL}`,
    message,
    data: {},
  });
  if (failure !== undefined && failure.code === '') return crash(failure.message);
  if (failure !== undefined) return { status: 'failed', ...failure, data: {} };
  const textual = textProblem(body);
  const value = body.length === 0 || textual !== undefined ? '' : toValue(body);
  const problem = textual ?? resultProblem(value);
  if (problem !== undefined) return crash(`the result of the container is ${problem}`);
  return { status: 'complete', code: '', message: '', data: keepResult(value) };
}
