import { notFound, ServiceError } from '../../../domain/errors.ts';
import type { Namespace } from '../../../domain/namespaces/namespaces.ts';
import { keepResult } from '../../../domain/runs/call-results.ts';
import * as runs from '../../../domain/runs/runs.ts';
import { toTimestamp } from '../../../time/timestamps.ts';
import { noteUnawaitedFailure } from '../../containers/caller-log.ts';
import { deliver } from '../../delivery/deliver.ts';
import { resultProblem } from '../../evaluation/bounds.ts';
import type { EnginePorts, RunnerPorts } from '../../ports.ts';
import { reportEnd } from '../../step/resume.ts';
import { durationOf, leaseMsOf } from '../../workers/leases.ts';
import { notifyPolls, type Task } from '../../workers/offering.ts';

/** Identifies a task, and the lease by which a worker holds it. */
export interface Holding {
  readonly namespace: Namespace;
  readonly queue: string;
  readonly task: string;
  readonly lease: string;
}

/** How a worker fails a task. */
export interface Failing {
  /** The error code of the call; empty: `worker.failed`. */
  readonly code: string;
  readonly message: string;
  /** An ISO 8601 duration after which the task is offered again; undefined: the call fails. */
  readonly retry?: string | undefined;
}

/** The longest delay before a task is offered again, milliseconds. */
const MAX_DELAY_MS = 7 * 24 * 60 * 60_000;
const CODE = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$/;
const MAX_MESSAGE_LENGTH = 4096;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function need(ports: EnginePorts, { namespace, queue, task: id }: Holding): Promise<Task> {
  const run = UUID.test(id) ? await runs.find(ports, id.toLowerCase()) : undefined;
  const isMeant = run !== undefined && run.namespaceId === namespace.id && runs.isTask(run);
  if (!isMeant || run.callee.queue !== queue) throw notFound('task');
  return run;
}

const lost = (text: string): ServiceError => new ServiceError('conflict', text);

/** Why the lease does not hold the task. */
function lossOf({ status, code }: runs.Run): ServiceError {
  if (status === 'pending') return lost('the lease of this task is over, and another worker has the task');
  const why = code === '' ? '' : ` (${code})`;
  return lost(`the task has ended: ${status}${why}`);
}

/**
 * Changes a task that the lease holds. A lease that is over holds its task until another worker takes it. A request that
 * has done so before changes nothing. Throws `not-found`, and `conflict` when the lease does not hold the task any more.
 */
async function change(
  ports: EnginePorts,
  holding: Holding,
  next: (current: Task) => Task,
  hasDone: (ended: runs.Run) => boolean = () => false,
): Promise<runs.Committed> {
  const { run, isCommitted } = await runs.update(ports, await need(ports, holding), (current) => {
    const isHeld = runs.isTask(current) && current.callee.lease?.id === holding.lease;
    return isHeld && current.status === 'pending' ? { run: next(current) } : undefined;
  });
  const isMine = runs.isTask(run) && run.callee.lease?.id === holding.lease;
  if (isCommitted || (isMine && run.status !== 'pending' && hasDone(run))) return { run, isCommitted };
  throw lossOf(run);
}

type Ending = Pick<runs.Run, 'status' | 'code' | 'message' | 'data'>;

const ended =
  ({ clock }: EnginePorts, ending: Ending) =>
  (current: Task): Task => ({ ...current, ...ending, updated: clock.now() });

/** The reply to a worker about its task. */
const stateOf = ({ id, status }: runs.Run) => ({ task: id, status: status === 'complete' ? 'complete' : 'failed' });

/**
 * Resumes the run that waits for an ended task, here. A repeated request leaves it to its machine: the states after the
 * wait may have ended the process.
 */
async function reportOf(ports: RunnerPorts, { run, isCommitted }: runs.Committed) {
  if (isCommitted) await noteUnawaitedFailure(ports, run);
  await (isCommitted ? reportEnd : deliver)(ports, run);
  return stateOf(run);
}

/**
 * Ends a task with its result. Exactly one end of a task counts; the same request repeated gets the same reply. Throws
 * `not-found`, `conflict`, and `too-large` for a result that exceeds the bounds of data.
 */
export async function completeTask(ports: RunnerPorts, holding: Holding, output: unknown) {
  const problem = resultProblem(output);
  if (problem !== undefined) throw new ServiceError('malformed', `the output is ${problem}`);
  const ending: Ending = { status: 'complete', code: '', message: '', data: keepResult(output) };
  return reportOf(ports, await change(ports, holding, ended(ports, ending), ({ status }) => status === 'complete'));
}

/**
 * Fails a task: its call fails with the code, and is retried if the workflow says so; or, with `retry`, the task is offered
 * again after that time. Throws `not-found`, `conflict`, and `malformed` for a code that is none.
 */
export async function failTask(ports: RunnerPorts, holding: Holding, { code, message, retry }: Failing) {
  if (retry !== undefined) return releaseTask(ports, holding, durationOf(retry, 'retry', [0, MAX_DELAY_MS]));
  if (code !== '' && !CODE.test(code)) {
    throw new ServiceError(
      'malformed',
      "'code' must be a text such as order.unknown, of letters, digits, dots, dashes and underscores, at most 200",
    );
  }
  const ending: Ending = {
    status: 'failed',
    code: code === '' ? `${ports.settings.brand}.worker.failed` : code,
    message: message.slice(0, MAX_MESSAGE_LENGTH),
    data: {},
  };
  const hasFailed = ({ status, code: stored }: runs.Run) => status === 'failed' && stored === ending.code;
  return reportOf(ports, await change(ports, holding, ended(ports, ending), hasFailed));
}

/** Gives a task back: any worker may take it after `ms` milliseconds. */
async function releaseTask(ports: EnginePorts, holding: Holding, ms: number) {
  const { run } = await change(ports, holding, (current) => {
    const { lease: _, ...callee } = current.callee;
    const delay = ms === 0 ? {} : { notBefore: ports.clock.now() + ms };
    return { ...current, callee: { ...callee, ...delay }, updated: ports.clock.now() };
  });
  if (runs.isTask(run) && ms === 0) notifyPolls(run);
  return { task: run.id, status: 'offered' };
}

/**
 * Renews the lease of a task from now on, by the duration `lease` or by that of the function. Throws `not-found`, and
 * `conflict` when the lease does not hold the task any more: then the worker stops its work.
 */
export async function renewLease(ports: EnginePorts, holding: Holding, duration: string | undefined) {
  const { run } = await change(ports, holding, (current) => {
    const { callee } = current;
    const until = ports.clock.now() + leaseMsOf(duration, callee);
    const lease = { id: holding.lease, worker: callee.lease?.worker ?? '', until };
    return { ...current, callee: { ...callee, lease }, updated: ports.clock.now() };
  });
  const until = runs.isTask(run) ? (run.callee.lease?.until ?? 0) : 0;
  return { task: run.id, status: 'leased', leaseUntil: toTimestamp(until) };
}
