import { ServiceError } from '../../domain/errors.ts';
import type * as runs from '../../domain/runs/runs.ts';
import { deliver } from '../delivery/deliver.ts';
import type { DeliveryPorts } from '../ports.ts';
import { UnitOfWork } from '../run/commit/unit-of-work.ts';
import { BY_ALERT } from '../run/new-run.ts';
import { type Admission, commitStart } from './start-commits.ts';

/** Why a run does not begin now. */
export interface Full {
  readonly message: string;
  /** The ids of the runs that have the places, the oldest first, or of the one that was started last. */
  readonly holders: readonly string[];
  /** After how many seconds a new attempt may succeed. */
  readonly retryAfter: number;
}

/** A workflow has no place or no start left, and does not queue the request. */
export class FullError extends ServiceError {
  /** As in `Full`. */
  readonly holders: readonly string[];
  /** The workflow skips the start: it is no mistake of the caller. */
  readonly isSkipped: boolean;

  constructor({ message, holders, retryAfter }: Full, isSkipped: boolean) {
    super('too-many', message, { holders }, retryAfter);
    this.holders = holders;
    this.isSkipped = isSkipped;
  }
}

/** What has the limits of a run or a call, in words. */
export const ownerName = (run: runs.Run): string =>
  run.kind === 'call' ? `the functions '${run.site.limits?.scope}'` : `the workflow '${run.path}'`;

/** The code of a run that was refused a place. */
const REFUSED = 'flow.refused';

/** What starts runs without waiting for a reply: a refusal is stored as a run that failed. */
const UNREQUESTED: ReadonlySet<string> = new Set(['cloudevent', 'cron', BY_ALERT]);

/** Whether a request starts the run, which gets the refusal as its reply. A run that was held back had its reply before. */
const isRequested = ({ parent, invoker, seq }: runs.Run): boolean =>
  parent === undefined && seq === 0 && !UNREQUESTED.has(invoker);

/** What `evaluate` returns, or the problem with a field of a run that no request starts. Throws it where one does. */
export async function orProblem<T>(
  run: runs.Run,
  evaluate: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly problem: string }> {
  try {
    return { value: await evaluate() };
  } catch (error) {
    if (!(error instanceof ServiceError) || isRequested(run)) throw error;
    return { problem: error.message };
  }
}

/** Stores a run that does not begin as failed, and reports that. */
export async function refuse(ports: DeliveryPorts, run: runs.Run, message: string): Promise<Admission> {
  const unit = new UnitOfWork(ports, run);
  const code = unit.branded(REFUSED);
  unit.log(`${run.kind === 'call' ? 'Call' : 'Workflow'} failed with error '${code}': ${message}`, 'error', '');
  const { run: next, writes } = await unit.prepareCommit({ status: 'failed', code, message });
  const refused = await commitStart(ports, { run, writes, execution: undefined }, { next, verdict: 'notAdmitted' });
  if (refused.verdict === 'notAdmitted') await deliver(ports, refused.run);
  return refused;
}

/** Rejects a start that the workflow does not queue. Throws FullError where nothing is stored. */
export function reject(ports: DeliveryPorts, run: runs.Run, full: Full, isSkipped: boolean): Promise<Admission> {
  const isStored = run.seq > 0 || run.parent !== undefined || (!isRequested(run) && !isSkipped);
  if (isStored) return refuse(ports, run, full.message);
  throw new FullError(full, isSkipped);
}
