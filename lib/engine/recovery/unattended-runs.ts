import { MIN_TIMER_MS } from '../../compiler/plan/execution.ts';
import { ignoreNotFound } from '../../domain/errors.ts';
import * as runs from '../../domain/runs/runs.ts';
import { isFulfilled, type Parent } from '../../domain/runs/waits.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { driveCall, driveQueued } from '../admission/admission.ts';
import { nextAttemptOf } from '../delivery/call-ends.ts';
import { BY_PARENT } from '../delivery/cancellation.ts';
import { cancel, deliver } from '../delivery/deliver.ts';
import { owesAnswer } from '../delivery/outbox.ts';
import { isTimerLost, LOST_MS } from '../delivery/retry-timers.ts';
import { cancelByPast } from '../events/cancelling.ts';
import { beginListening } from '../events/listening.ts';
import { isDetached } from '../machines/call-machines.ts';
import { continueAsNew } from '../machines/continue-as-new.ts';
import { limitWait } from '../machines/detached-waits.ts';
import { firstExecution, moveToExecution, startExecution } from '../machines/executions.ts';
import type { DeliveryPorts } from '../ports.ts';
import { isListening, isWaiting, type ListeningRun } from '../run/waiting-run.ts';
import { reportEndedCalls } from './ended-calls.ts';
import { keepPause, resumeLostPauses } from './retry-pauses.ts';
import { type CallingRun, isCalling, newestAttempt } from './waiting-calls.ts';

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
export async function ensureDriven(ports: DeliveryPorts, run: runs.Run, isExclusive: boolean): Promise<void> {
  const isOpen = run.status === 'pending' && run.kind === 'workflow';
  if (!isOpen || (!isExclusive && isLeased(run, ports.clock.now()))) return;
  if (runs.isQueued(run)) return driveUnbegun(ports, run);
  if (run.machine === '') {
    if (run.parent === undefined) await assignExecution(ports, run);
    else await endOrphan(ports, run, run.parent);
    return;
  }
  if ((await cancelByPast(ports, run)) !== undefined) return;
  if (owesAnswer(run)) await deliver(ports, run, { hasDriver: isDetached(run) });
  if (isDetached(run)) {
    if (!(await keepDetached(ports, run, isExclusive))) await keepExecution(ports, run);
    return;
  }
  await reportEndedCalls(ports, run, isExclusive);
  if (!(await resumeLostPauses(ports, run))) await keepExecution(ports, run);
}

/**
 * Keeps what will end a detached wait: its timer, or its call. Returns false if something was lost, or the wait is over: then an
 * execution goes on, that of a machine once the one of the wait can have ended.
 */
async function keepDetached(ports: DeliveryPorts, run: runs.Run, isExclusive: boolean): Promise<boolean> {
  if (!isWaiting(run) || ports.clock.now() >= run.wait.wake + LOST_MS) return false;
  const { number, wake } = run.wait;
  const hasTimer = isListening(run, number) || wake - run.updated >= MIN_TIMER_MS;
  // The execution may have been lost before it set the timer.
  if (hasTimer) await limitWait(ports, run);
  if (isListening(run, number)) return keepListening(ports, run);
  return isCalling(run) ? keepCall(ports, run, isExclusive) : hasTimer;
}

/** The router's look at the listeners of a wait is exact after this time, milliseconds: the clocks of two computers differ. */
const VISIBLE_MS = MINUTE_MS;

/** Offers the events to a wait that came before its listeners. Returns false if it has all that it waits for. */
async function keepListening(ports: DeliveryPorts, run: ListeningRun): Promise<boolean> {
  const { listening, number } = run.wait;
  if (isFulfilled(listening)) return false;
  const task = { run: run.id, listen: number, token: listening.token };
  await beginListening(ports, task, run.executionBegan + VISIBLE_MS);
  const current = await runs.find(ports, run.id);
  return current === undefined || !isListening(current, number) || !isFulfilled(current.wait.listening);
}

/** Whether something other than the execution of its caller drives a call, or its end was reported just now. */
async function keepCall(ports: DeliveryPorts, run: CallingRun, isExclusive: boolean): Promise<boolean> {
  const [call] = run.wait.calls.waiting;
  if (call === undefined || (await keepPause(ports, run, call))) return call !== undefined;
  const attempt = await newestAttempt(ports, run, call);
  if (attempt === undefined || (attempt.parent?.token ?? '') === '') return false;
  if (attempt.status !== 'pending') return keepReport(ports, { caller: run, attempt, isExclusive });
  if (attempt.kind === 'call') await driveCall(ports, attempt);
  // The process that runs a subflow in place is at work, or was until a moment ago.
  const isHeld = !isExclusive && isLeased(attempt, ports.clock.now());
  return isHeld || attempt.kind === 'call' || attempt.machine !== '' || runs.isQueued(attempt);
}

interface EndedAttempt {
  readonly caller: CallingRun;
  readonly attempt: runs.Run;
  readonly isExclusive: boolean;
}

/** Reports the end of an attempt again, unless a timer makes the next one. Returns false for one that the caller should have learned long ago. */
async function keepReport(ports: DeliveryPorts, { caller, attempt, isExclusive }: EndedAttempt): Promise<boolean> {
  const next = nextAttemptOf(attempt, ports.settings.brand);
  if (!isExclusive && isTimerLost(attempt, next ?? { delay: 0 }, ports.clock.now())) return false;
  if (isExclusive || next === undefined) await deliver(ports, attempt, { caller });
  return true;
}

/** Starts the execution of a run unless it runs; another one if it has ended. */
async function keepExecution(ports: DeliveryPorts, run: runs.Run): Promise<void> {
  const isOver = hasExpired(run, ports.clock.now());
  if (isOver || !(await startExecution(ports, run))) await continueAsNew(ports, run);
}

/** A request stored the run and ended before it gave it an execution. */
async function assignExecution(ports: DeliveryPorts, run: runs.Run): Promise<void> {
  const revision = await revisions.need(ports, run.workflowId, run.revision);
  await moveToExecution(ports, run, async (current) => {
    const isUnassigned = current.status === 'pending' && current.machine === '';
    return isUnassigned ? firstExecution(ports, revision, current) : undefined;
  });
}

/** A queued run that is held back has an execution. Any other gets a place when one is free; a child leaves the queue when its caller has ended. */
async function driveUnbegun(ports: DeliveryPorts, run: runs.Run): Promise<void> {
  if (run.parent !== undefined) await endOrphan(ports, run, run.parent);
  if (run.machine !== '') return keepExecution(ports, run);
  const revision = await revisions.need(ports, run.workflowId, run.revision).catch(ignoreNotFound);
  await driveQueued(ports, run, revision?.plan?.concurrency);
}

/** A child that waits to be called by a caller that has ended. */
async function endOrphan(ports: DeliveryPorts, child: runs.Run, parent: Parent): Promise<void> {
  const caller = await runs.find(ports, parent.id);
  if (caller?.status !== 'pending') await cancel(ports, child, BY_PARENT);
}

/**
 * Delivers the outbox of a run that was ended from outside. If the step of a run has ended it, the reconciler finds the end when
 * it visits the caller, and the events as ones that are not routed. Idempotent.
 */
export async function deliverEnd(ports: DeliveryPorts, run: runs.Run): Promise<void> {
  const isEndedByStep = run.status === 'complete' || (run.status === 'failed' && run.wait === undefined);
  const isOpen = run.outbox.stop === true || !isEndedByStep;
  if (run.status !== 'pending' && isOpen) await deliver(ports, run);
}
