import { keepResult } from '../../domain/runs/container-calls.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { ServiceCall } from '../../domain/runs/waits.ts';
import type { ContainerResult } from '../../ports/containers.ts';
import { ConflictError, type Table } from '../../ports/table.ts';
import { resultProblem } from '../evaluation/bounds.ts';
import { INTERNAL, StateFailure } from '../evaluation/failures.ts';
import type { RunnerPorts } from '../ports.ts';
import { sendAll } from '../run/outbox.ts';
import { toValue } from '../run/stored-values.ts';
import { Draft } from '../run/unit-of-work.ts';
import { CallerLog } from './caller-log.ts';
import { readFiles } from './files.ts';
import { hostOf } from './host.ts';
import { addOutputs, namedOutputs } from './outputs.ts';

type Called = runs.Run & { readonly service: ServiceCall };

interface Ending {
  readonly status: Exclude<runs.Status, 'pending'>;
  readonly code: string;
  readonly message: string;
  readonly data: runs.Run['data'];
}

/** What came of a call (workflow-language reference, 10.3 and 11.3): an empty answer is the empty text. */
function endingOf(brand: string, { body, failure }: ContainerResult): Ending {
  const crash = (message: string): Ending => ({ status: 'crashed', code: `${brand}.${INTERNAL}`, message, data: {} });
  if (failure !== undefined && failure.code === '') return crash(failure.message);
  if (failure !== undefined) return { status: 'failed', ...failure, data: {} };
  const value = body.length === 0 ? '' : toValue(body);
  const problem = resultProblem(value);
  if (problem !== undefined) return crash(`the result of the container is ${problem}`);
  return { status: 'complete', code: '', message: '', data: keepResult(value) };
}

/** Commits the end of a call with all that it left; undefined: the call changed meanwhile. */
async function endOnce(ports: RunnerPorts, child: Called, result: ContainerResult, log: CallerLog) {
  const draft = new Draft(ports, child);
  const { data, ...outcome } = endingOf(ports.settings.brand, result);
  draft.data = { ...data };
  const tell = await addOutputs(draft, child.service, result.outputs, log);
  await log.close();
  const { run, writes } = await draft.settle(outcome);
  const ended = await runs.commit(ports, run, writes).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error;
  });
  if (ended === undefined) return undefined;
  await sendAll(ports, ended);
  await tell();
  return ended;
}

/** A call that somebody ended meanwhile stays as it is: its result comes too late. */
async function end(ports: RunnerPorts, child: Called, given: ContainerResult, log: CallerLog): Promise<runs.Run> {
  const result = { ...given, outputs: await namedOutputs(given.outputs, log) };
  // What is left too late is not kept either, however much it is.
  let current: runs.Run | undefined = result.outputs.length === 0 ? child : await runs.find(ports, child.id);
  while (current?.status === 'pending') {
    const ended = await endOnce(ports, current as Called, result, log);
    if (ended !== undefined) return ended;
    current = await runs.find(ports, child.id);
  }
  await log.close();
  return current ?? child;
}

/** A call that cannot be made as the action says fails as if its container had. */
function failedCall(brand: string, error: unknown): ContainerResult {
  if (!(error instanceof StateFailure)) throw error;
  const failure = { code: `${brand}.${error.code}`, message: error.message };
  return { body: new Uint8Array(), failure, outputs: [] };
}

/** Undefined: somebody ended the call before it was made. Throws a StateFailure for files that cannot be given. */
async function callContainer(ports: RunnerPorts, child: Called, log: CallerLog): Promise<ContainerResult | undefined> {
  const { service, id, namespace, input } = child;
  const files = await readFiles(ports, child, service);
  if (!(await runs.isPending(ports, id))) return undefined;
  return ports.containers.call(service.revision, {
    actionId: id,
    instanceId: service.caller,
    namespace,
    step: service.step,
    ...(service.iterator === undefined ? {} : { iterator: service.iterator }),
    deadline: service.until,
    input,
    files,
    host: hostOf(ports, child, service, log),
  });
}

async function serveNow(ports: RunnerPorts, child: Called, isAwaited: boolean): Promise<runs.Run> {
  const log = new CallerLog(ports, child.service, isAwaited);
  const result = await callContainer(ports, child, log).catch((error: unknown) =>
    failedCall(ports.settings.brand, error),
  );
  if (result === undefined) return (await runs.find(ports, child.id)) ?? child;
  const isLate = result.failure?.code === '' && ports.clock.now() >= child.service.until;
  if (!isLate || !isAwaited) return end(ports, child, result, log);
  await log.close();
  return child;
}

/** Calls under way in this process, by who keeps them: a call that is asked for twice is made once. */
const underway = new WeakMap<Table, Map<string, Promise<runs.Run>>>();

/**
 * Calls the container of a pending child and commits what comes of it; answers the child as it ended. Answers it
 * pending where nothing came of it in time: whoever waits for it knows what that means. Interrupted, it is to be
 * repeated, and calls the container again.
 */
export function serve(ports: RunnerPorts, child: runs.Run, isAwaited: boolean): Promise<runs.Run> {
  const { service, id } = child;
  if (service === undefined || child.status !== 'pending') return Promise.resolve(child);
  const calls = underway.get(ports.table) ?? new Map<string, Promise<runs.Run>>();
  underway.set(ports.table, calls);
  const known = calls.get(id);
  if (known !== undefined) return known;
  const serving = serveNow(ports, { ...child, service }, isAwaited).finally(() => calls.delete(id));
  calls.set(id, serving);
  return serving;
}

/**
 * Notes that the container of a child is about to be called, for a state that the first answer decides: what was not
 * begun then is begun elsewhere. Answers the child as it stands; one that a machine of its own carries is not to be
 * called here.
 */
export async function noteBegin(ports: RunnerPorts, child: runs.Run): Promise<runs.Run> {
  let current: runs.Run | undefined = child;
  while (current?.status === 'pending' && current.step === 0 && current.machine === '') {
    try {
      return await runs.commit(ports, { ...current, step: 1, seq: current.seq + 1 });
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      current = await runs.find(ports, child.id);
    }
  }
  return current ?? child;
}
