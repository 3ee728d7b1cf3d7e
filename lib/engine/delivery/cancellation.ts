import type { EndCause, Handler } from '../../compiler/plan/handlers.ts';
import * as runs from '../../domain/runs/runs.ts';
import { nextExecution } from '../machines/continue-as-new.ts';
import type { EnginePorts } from '../ports.ts';
import { type Ending, endEarly, UnitOfWork } from '../run/commit/unit-of-work.ts';
import { enterHandler, handlerOf } from '../run/handling.ts';

/** Why a run is cancelled: the error code, and the message of the run. */
export interface Cancellation {
  readonly reason: 'cancels.api' | 'cancels.parent' | 'cancels.event';
  readonly message: string;
  /** A run that is in a handler goes on there. */
  readonly sparesHandlers?: boolean;
}

export const BY_API: Cancellation = { reason: 'cancels.api', message: 'cancelled by api request' };
/** A job on many runs, which may meet a run twice. */
export const BY_JOB: Cancellation = { ...BY_API, sparesHandlers: true };
/** The state that waits for the run is over. */
export const BY_PARENT: Cancellation = { reason: 'cancels.parent', message: 'cancelled by parent workflow' };

/** The cause of the end, which determines the handlers that follow. */
const CAUSES: Readonly<Record<Cancellation['reason'], EndCause>> = {
  'cancels.api': 'request',
  'cancels.parent': 'request',
  'cancels.event': 'event',
};

/**
 * Whether a cancellation changes nothing, because it is delivered again or another end came first: events and the
 * cancellations of callers are delivered at least once. Only a further request ends a run that is in a handler.
 */
function isDelivered({ handling }: runs.Run, { reason, sparesHandlers = false }: Cancellation, code: string): boolean {
  if (handling === undefined || sparesHandlers) return handling !== undefined;
  if (reason === 'cancels.api') return false;
  return reason === 'cancels.event' || (handling.end.end !== 'complete' && handling.end.code === code);
}

/**
 * Commits the end of a pending run; one that has ended stays as it is. A run whose workflow has a handler goes on there
 * instead, in a new execution; a second cancellation ends it. Returns the run as committed.
 */
export async function endRun(ports: EnginePorts, run: runs.Run, cancellation: Cancellation): Promise<runs.Run> {
  const { reason, message } = cancellation;
  const { run: ended } = await runs.update(ports, run, async (current) => {
    if (current.status !== 'pending') return undefined;
    const unit = new UnitOfWork(ports, current);
    const failure = { code: unit.branded(reason), message };
    if (isDelivered(current, cancellation, failure.code)) return undefined;
    unit.log(`Instance failed with uncatchable error '${failure.code}': ${message}`, 'error');
    // A queued run has no place in which a handler could work.
    const mayHandle = current.handling === undefined && !runs.isQueued(current);
    const handler = mayHandle ? handlerOf(unit, CAUSES[reason]) : undefined;
    if (handler !== undefined) return takeOver(ports, unit, { handler, failure });
    const { run: next, writes } = await unit.prepareCommit(endingOf(current, failure));
    return { run: { ...next, outbox: { ...next.outbox, stop: true } }, writes };
  });
  return ended;
}

/** A run that a handler had taken over keeps the error before. */
function endingOf({ handling }: runs.Run, failure: runs.Failure): Ending {
  if (handling === undefined || handling.end.end === 'complete') return { status: 'failed', ...failure };
  const { end: status, code, message } = handling.end;
  return { status, code, message };
}

interface TakeOver {
  readonly handler: Handler;
  readonly failure: runs.Failure;
}

/** The change by which a handler takes a run over from where it stands. */
async function takeOver(ports: EnginePorts, unit: UnitOfWork, { handler, failure }: TakeOver): Promise<runs.Change> {
  const { run: current } = unit;
  endEarly(unit, failure, handler.state);
  unit.wait = undefined;
  unit.cancelOn = undefined;
  enterHandler(unit, handler, { end: 'failed', ...failure });
  unit.at = handler.state;
  const { run: next, writes } = await unit.prepareCommit({});
  const { machine, step, wait } = current;
  const calling = wait?.calls === undefined ? {} : { wait: { origin: wait.origin, calls: wait.calls } };
  const abandoned = { machine, execution: runs.executionOf(current), step, ...calling };
  const moved = { ...next, ...(await nextExecution(ports, next)) };
  return { run: { ...moved, outbox: { ...next.outbox, abandoned } }, writes };
}
