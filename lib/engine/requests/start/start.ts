import { hasNoLikelyWait } from '../../../compiler/plan/execution.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { findSlot, type Slot, takeSlot } from '../../../domain/instances/waiting-requests.ts';
import * as runs from '../../../domain/runs/runs.ts';
import * as revisions from '../../../domain/tree/revisions.ts';
import { DelayedStartError } from '../../../ports/executions.ts';
import { FullError } from '../../admission/refusals.ts';
import { waitForEnd } from '../../delivery/end-waiters.ts';
import { ensureStarted } from '../../machines/executions.ts';
import type { CleanupPorts, RunnerPorts } from '../../ports.ts';
import { ensureDriven, LEASE_MS } from '../../recovery/unattended-runs.ts';
import { inLargeTurns } from '../../run/large-runs.ts';
import { runInPlace } from '../../step/advance.ts';
import { begin, continueInMachine } from '../../step/beginning.ts';
import { type Invocation, type Prepared, prepare } from './invocations.ts';

/** A run, and whether an earlier request with the same idempotency key started it. */
export interface Started {
  readonly run: runs.Run;
  readonly existing: boolean;
}

/** A run stays in the request for this long; after that a state machine continues it. */
const MAX_IN_REQUEST_MS = 5_000;

const MIN_POLL_MS = 50;
const MAX_POLL_MS = 1_000;

/**
 * Starts a run and returns soon: when the run has ended, waits, or has used up its budget, after which a state machine
 * continues it. Throws what `prepare` throws.
 */
export function execute(ports: RunnerPorts, invocation: Invocation): Promise<Started> {
  const start = async () => startPrepared(ports, await prepare(ports, invocation));
  return whileInputIsHeld(ports, invocation, () => start().catch(heldBySkipped(ports)));
}

/** The run that has the place of a start that its workflow skips. */
const heldBySkipped =
  (ports: RunnerPorts) =>
  async (error: unknown): Promise<Started> => {
    const [oldest] = error instanceof FullError && error.isSkipped ? error.holders : [];
    const run = oldest === undefined ? undefined : await runs.find(ports, oldest);
    if (run === undefined) throw error;
    return { run, existing: true };
  };

const whileInputIsHeld = <T>(
  { processor }: RunnerPorts,
  { namespace, input }: Invocation,
  work: () => Promise<T>,
): Promise<T> => processor?.holdInput(namespace, input.length, work) ?? work();

/**
 * Starts a run and returns it when it has ended, or as it stands at `deadline` (milliseconds since 1970), or at once if
 * the limit of waiting requests is reached. A run that need not wait runs in the request and is stored once, when it ends; a run
 * that takes longer, or waits, is continued by a state machine. Throws what `prepare` throws, `too-many` if the run
 * would have to wait and no further request may, and `not-found` when the run is deleted before it ends.
 */
export async function executeAndWait(
  ports: RunnerPorts,
  invocation: Invocation,
  deadline = Number.POSITIVE_INFINITY,
): Promise<Started> {
  const started = await startAndEnd(ports, invocation, deadline);
  const { namespace, blobs = [] } = started.run;
  // The caller formats the output: large data takes as long as a turn.
  if (blobs.length > 0) await ports.processor?.takeLargeTurn(namespace);
  return started;
}

/** A run that a request waits for. Its data is not held meanwhile. */
interface Awaited extends Slot {
  readonly id: string;
  readonly existing: boolean;
  /** Whether its data is too large to be read at every poll. */
  readonly isLarge: boolean;
}

const toAwaited = ({ id, blobs = [] }: runs.Run, existing: boolean, { release }: Slot): Awaited => ({
  ...{ id, existing, release },
  isLarge: blobs.length > 0,
});

async function startAndEnd(ports: RunnerPorts, invocation: Invocation, deadline: number): Promise<Started> {
  const start = () => startForRequest(ports, invocation, deadline).catch(heldBySkipped(ports));
  const begun = await whileInputIsHeld(ports, invocation, start);
  if ('run' in begun) return awaitSkipped(ports, begun, deadline);
  return { run: await pollEnd(ports, begun, deadline).finally(begun.release), existing: begun.existing };
}

/** Waits for a run that an earlier request started, where a request got it instead of one of its own. */
async function awaitSkipped(ports: RunnerPorts, started: Started, deadline: number): Promise<Started> {
  const { run, existing } = started;
  const slot = existing && run.status === 'pending' ? await findSlot(ports, deadline) : undefined;
  if (slot === undefined) return started;
  return { run: await pollEnd(ports, toAwaited(run, existing, slot), deadline).finally(slot.release), existing };
}

/** Starts a run for a request that waits for its end. Returns the run if no wait is needed. */
async function startForRequest(
  ports: RunnerPorts,
  invocation: Invocation,
  deadline: number,
): Promise<Started | Awaited> {
  const prepared = await prepare(ports, invocation);
  const { opened, run, earlier } = prepared;
  const plan = revisions.planOf(opened.revision);
  if (earlier !== undefined || !hasNoLikelyWait(plan)) return startWaiting(ports, prepared, deadline);
  const until = Math.min(ports.clock.now() + MAX_IN_REQUEST_MS, deadline);
  const here = await runInPlace(ports)(run, opened.revision, until);
  const existing = here.id !== run.id;
  if (here.status !== 'pending') return { run: here, existing };
  const moved = continueInMachine(ports, opened.revision, here);
  const continued = await moved.catch(storedIfDelayed(ports, here.id));
  const slot = await findSlot(ports, deadline);
  return slot === undefined ? { run: continued, existing } : toAwaited(continued, existing, slot);
}

/** Takes a place for a request that waits before it starts the run, so that a request without one starts none. */
async function startWaiting(ports: RunnerPorts, prepared: Prepared, deadline: number): Promise<Started | Awaited> {
  if (prepared.earlier !== undefined && prepared.earlier.status !== 'pending') return startPrepared(ports, prepared);
  const slot = await takeSlot(ports, deadline);
  try {
    const { run, existing } = await startPrepared(ports, prepared);
    if (run.status === 'pending') return toAwaited(run, existing, slot);
    await slot.release();
    return { run, existing };
  } catch (error) {
    await slot.release();
    throw error;
  }
}

/**
 * Handles a start that a quota delays: the run is stored, so the reconciler starts it, and the request goes on with it as it is
 * stored. A client that repeated the request would start a second one.
 */
const storedIfDelayed =
  (ports: RunnerPorts, id: string) =>
  async (error: unknown): Promise<runs.Run> => {
    const stored = error instanceof DelayedStartError ? await runs.find(ports, id) : undefined;
    if (stored === undefined) throw error;
    return stored;
  };

/** A run of an earlier request is only started if that request crashed before it did so. */
async function startPrepared(ports: RunnerPorts, { opened, run, earlier }: Prepared): Promise<Started> {
  if (earlier === undefined) {
    const begun = begin(ports, opened.revision, run).catch(async (error: unknown) => {
      return { run: await storedIfDelayed(ports, run.id)(error), isCommitted: true };
    });
    const { run: started, isCommitted } = await begun;
    return { run: started, existing: !isCommitted };
  }
  await ensureStarted(ports, earlier).catch(storedIfDelayed(ports, earlier.id));
  return { run: earlier, existing: true };
}

/** The next check tries again. */
function ignoreDelay(error: unknown): void {
  if (!(error instanceof DelayedStartError)) throw error;
}

/**
 * Polls a run until it has ended or the deadline is reached, with exponential backoff; an end in this process is noticed
 * at once. A run that shows no progress meanwhile is checked as the reconciler does it.
 */
async function pollEnd(ports: CleanupPorts, { id, isLarge }: Awaited, deadline: number): Promise<runs.Run> {
  let nextCheck = ports.clock.now() + LEASE_MS;
  for (let interval = MIN_POLL_MS; ; interval = Math.min(interval * 2, MAX_POLL_MS)) {
    const left = deadline - ports.clock.now();
    await waitForEnd(id, Math.max(Math.min(interval, left), 0));
    if (isLarge && left > interval && ports.clock.now() < nextCheck && (await runs.isPending(ports, id))) continue;
    const now = await runs.find(inLargeTurns(ports), id);
    if (now === undefined) throw new ServiceError('not-found', 'instance not found');
    if (now.status !== 'pending' || left <= interval) return now;
    if (ports.clock.now() < nextCheck) continue;
    nextCheck = ports.clock.now() + LEASE_MS;
    await ensureDriven(ports, now, false).catch(ignoreDelay);
  }
}
