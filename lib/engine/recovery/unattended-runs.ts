import { ignoreNotFound } from '../../domain/errors.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Parent } from '../../domain/runs/waits.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { driveQueued } from '../admission/admission.ts';
import { BY_PARENT } from '../delivery/cancellation.ts';
import { cancel, deliver } from '../delivery/deliver.ts';
import { owesAnswer } from '../delivery/outbox.ts';
import { cancelByPast } from '../events/cancelling.ts';
import { continueAsNew } from '../machines/continue-as-new.ts';
import { firstExecution, moveToExecution, startExecution } from '../machines/executions.ts';
import type { CleanupPorts } from '../ports.ts';
import { reportEndedCalls } from './ended-calls.ts';
import { resumeLostPauses } from './retry-pauses.ts';

/**
 * A request that drives a run commits it at least this often, milliseconds; so does a step that computes. Another
 * process may take over a run that was not committed for this long: if the first one still works, only one of them commits.
 */
export const LEASE_MS = 60_000;

/** Whether another process may drive the run at this moment, which cannot be asked. */
const isLeased = (run: runs.Run, now: number): boolean => now - run.updated < LEASE_MS;

/** The longest time of an execution of the tier EXPRESS (aws-facts, 1.1). */
const MAX_EXPRESS_MS = 5 * 60_000;

/** Whether the execution of a run has ended by its tier's limit, which AWS does not report for the tier EXPRESS. */
const hasExpired = ({ express, executionBegan }: runs.Run, now: number): boolean =>
  express && now - executionBegan > MAX_EXPRESS_MS;

/**
 * Makes sure that something drives a pending run: a running execution, or, for a child that has none yet, by its caller.
 * `isExclusive`: no other process is at work, so nothing drives a run without an execution. Idempotent.
 */
export async function ensureDriven(ports: CleanupPorts, run: runs.Run, isExclusive: boolean): Promise<void> {
  const isOpen = run.status === 'pending' && run.kind === 'workflow';
  if (!isOpen || (!isExclusive && isLeased(run, ports.clock.now()))) return;
  if (runs.isQueued(run)) return driveUnbegun(ports, run);
  if (run.machine === '') {
    if (run.parent === undefined) await assignExecution(ports, run);
    else await endOrphan(ports, run, run.parent);
    return;
  }
  if ((await cancelByPast(ports, run)) !== undefined) return;
  if (owesAnswer(run)) await deliver(ports, run);
  await reportEndedCalls(ports, run, isExclusive);
  if (await resumeLostPauses(ports, run)) return;
  await keepExecution(ports, run);
}

/** Starts the execution of a run unless it runs; another one if it has ended. */
async function keepExecution(ports: CleanupPorts, run: runs.Run): Promise<void> {
  const isOver = hasExpired(run, ports.clock.now());
  if (isOver || !(await startExecution(ports, run))) await continueAsNew(ports, run);
}

/** A request stored the run and ended before it gave it an execution. */
async function assignExecution(ports: CleanupPorts, run: runs.Run): Promise<void> {
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  await moveToExecution(ports, run, async (current) => {
    const isUnassigned = current.status === 'pending' && current.machine === '';
    return isUnassigned ? firstExecution(ports, revision, current) : undefined;
  });
}

/** A queued run that is held back has an execution. Any other gets a place when one is free; a child leaves the queue when its caller has ended. */
async function driveUnbegun(ports: CleanupPorts, run: runs.Run): Promise<void> {
  if (run.parent !== undefined) await endOrphan(ports, run, run.parent);
  if (run.machine !== '') return keepExecution(ports, run);
  const revision = await revisions.need(ports, run.workflowId, run.revision).catch(ignoreNotFound);
  await driveQueued(ports, run, revision?.plan?.concurrency);
}

/** A child that waits to be called by a caller that has ended. */
async function endOrphan(ports: CleanupPorts, child: runs.Run, parent: Parent): Promise<void> {
  const caller = await runs.find(ports, parent.id);
  if (caller?.status !== 'pending') await cancel(ports, child, BY_PARENT);
}

/**
 * Delivers the outbox of a run that was ended from outside. If the step of a run has ended it, the reconciler finds the end when
 * it visits the caller, and the events as ones that are not routed. Idempotent.
 */
export async function deliverEnd(ports: CleanupPorts, run: runs.Run): Promise<void> {
  const isEndedByStep = run.status === 'complete' || (run.status === 'failed' && run.wait === undefined);
  const isOpen = run.outbox.stop === true || !isEndedByStep;
  if (run.status !== 'pending' && isOpen) await deliver(ports, run);
}
