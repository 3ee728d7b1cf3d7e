import { mayRunInPlace } from '../../compiler/plan/execution.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findSlot, takeSlot } from '../../domain/instances/waiting-requests.ts';
import * as runs from '../../domain/runs/runs.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { takeTurn } from '../evaluation/processor.ts';
import { ensureStarted } from '../executions/handles.ts';
import type { CleanupPorts, RunnerPorts } from '../ports.ts';
import { carry, LEASE_MS } from '../recovery/carrying.ts';
import { waitForEnd } from '../run/end-waiters.ts';
import { runInPlace } from '../step/advance.ts';
import { begin, continueInMachine } from './beginning.ts';
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
export async function execute(ports: RunnerPorts, invocation: Invocation): Promise<Started> {
  return startPrepared(ports, await prepare(ports, invocation));
}

/**
 * Starts a run and returns it when it has ended, or as it stands at `deadline` (milliseconds since 1970), or at once
 * if as many requests wait as may. A run that need not wait runs in the request and is stored once, when it ends; a run that takes longer, or waits, is continued by a
 * state machine. Throws what `prepare` throws, `too-many` if the run would have to wait and no further
 * request may, and `not-found` when the run is deleted before it ends.
 */
export async function executeAndWait(
  ports: RunnerPorts,
  invocation: Invocation,
  deadline = Number.POSITIVE_INFINITY,
): Promise<Started> {
  const started = await startAndEnd(ports, invocation, deadline);
  const { namespaceId, blobs = [] } = started.run;
  // The caller formats the output: large data takes as long as a turn.
  if (blobs.length > 0) await takeTurn(ports.clock, namespaceId);
  return started;
}

async function startAndEnd(ports: RunnerPorts, invocation: Invocation, deadline: number): Promise<Started> {
  const prepared = await prepare(ports, invocation);
  const { opened, run, earlier } = prepared;
  const plan = revisions.planOf(opened.revision);
  if (earlier !== undefined || !mayRunInPlace(plan)) {
    return startAndWait(ports, prepared, deadline);
  }
  const until = Math.min(ports.clock.now() + MAX_IN_REQUEST_MS, deadline);
  const here = await runInPlace(ports)(run, opened.revision, until);
  if (here.status !== 'pending') return { run: here, existing: false };
  const continued = await continueInMachine(ports, opened.revision, here);
  const slot = await findSlot(ports, deadline);
  if (slot === undefined) return { run: continued, existing: false };
  return { run: await pollEnd(ports, continued, deadline).finally(slot.release), existing: false };
}

/** Takes a place for a request that waits before it starts the run, so that a request without one starts none. */
async function startAndWait(ports: RunnerPorts, prepared: Prepared, deadline: number): Promise<Started> {
  if (prepared.earlier !== undefined && prepared.earlier.status !== 'pending') return startPrepared(ports, prepared);
  const { release } = await takeSlot(ports, deadline);
  try {
    const started = await startPrepared(ports, prepared);
    return { ...started, run: await pollEnd(ports, started.run, deadline) };
  } finally {
    await release();
  }
}

/** A run of an earlier request is only started if that request crashed before it did so. */
async function startPrepared(ports: RunnerPorts, { opened, run, earlier }: Prepared): Promise<Started> {
  if (earlier === undefined) {
    const { run: started, isCommitted } = await begin(ports, opened.revision, run);
    return { run: started, existing: !isCommitted };
  }
  await ensureStarted(ports, earlier);
  return { run: earlier, existing: true };
}

/**
 * Polls a run until it has ended or the deadline is reached, with exponential backoff; an end in this process is noticed
 * at once. A run that shows no progress meanwhile is checked as the reconciler does it.
 */
async function pollEnd(ports: CleanupPorts, run: runs.Run, deadline: number): Promise<runs.Run> {
  if (run.status !== 'pending') return run;
  let nextCheck = ports.clock.now() + LEASE_MS;
  for (let interval = MIN_POLL_MS; ; interval = Math.min(interval * 2, MAX_POLL_MS)) {
    const left = deadline - ports.clock.now();
    await waitForEnd(run.id, Math.max(Math.min(interval, left), 0));
    const now = await runs.find(ports, run.id);
    if (now === undefined) throw new ServiceError('not-found', 'instance not found');
    if (now.status !== 'pending' || left <= interval) return now;
    if (ports.clock.now() < nextCheck) continue;
    nextCheck = ports.clock.now() + LEASE_MS;
    await carry(ports, now, false);
  }
}
