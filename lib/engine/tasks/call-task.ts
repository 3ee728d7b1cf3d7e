import type { CallTask, TaskReply } from '../../compiler/emit/task-protocol.ts';
import * as runs from '../../domain/runs/runs.ts';
import { callerWith } from '../../domain/runs/waits.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { admitCall } from '../admission/admission.ts';
import { launch, storeChild } from '../calls/callees/children.ts';
import { prepareCall } from '../calls/preparation.ts';
import { serve } from '../calls/serving.ts';
import { noteBegin } from '../containers/serving.ts';
import { retryReply } from '../delivery/call-ends.ts';
import { BY_PARENT } from '../delivery/cancellation.ts';
import { cancel, deliver } from '../delivery/deliver.ts';
import { armRetry } from '../delivery/retry-timers.ts';
import { StateError } from '../evaluation/failures.ts';
import { onAccountOf } from '../evaluation/tenants.ts';
import { OverRateError } from '../limits/starts.ts';
import { isDetached } from '../machines/call-machines.ts';
import { limitWait } from '../machines/detached-waits.ts';
import { firstExecution, startOrMove } from '../machines/executions.ts';
import { isMadeByMachine } from '../native/machine-calls.ts';
import type { RunnerPorts } from '../ports.ts';
import { childId } from '../run/child-ids.ts';
import { rejectionOf } from '../run/suspension.ts';
import { isWaiting, type WaitingRun } from '../run/waiting-run.ts';
import { runChildInPlace, wakeCaller } from '../step/resume.ts';
import { offerTask } from '../workers/offering.ts';
import { FaultError } from './results.ts';

/** Whether a call with limits has an execution of its own. */
const isMadeElsewhere = (child: runs.Run): boolean =>
  child.kind === 'call' && child.site.limits !== undefined && child.machine !== '';

/** A child has this long within the task, until it ends or waits. */
const IN_PLACE_MS = 2_000;

/**
 * Makes one call for a machine; the end of the call ends the task. Safe to repeat. Returns the reply to the task of a call
 * that is not made: the caller has left the wait, its time is over, the attempt comes later, or the call cannot be made.
 */
export const makeCall = (ports: RunnerPorts, task: CallTask): Promise<TaskReply | undefined> =>
  new CallMaker(ports, task).make();

/** Makes the call of one task. A method that returns a reply has not made it; else the end of the child ends the task. */
class CallMaker {
  private readonly ports: RunnerPorts;
  private readonly task: CallTask;

  constructor(ports: RunnerPorts, task: CallTask) {
    this.ports = ports;
    this.task = task;
  }

  async make(): Promise<TaskReply | undefined> {
    const { call, alone } = this.task;
    const caller = await this.findCaller();
    if (caller === undefined) return { reply: 'left' };
    const timeLeft = caller.wait.wake - this.ports.clock.now();
    if (timeLeft <= 0) return { reply: 'timedOut' };
    if (call.s !== undefined) return retryReply(call, { delay: call.s * 1000, timeLeft, isAlone: alone === true });
    try {
      return await onAccountOf({ id: caller.namespaceId }, () => this.begin(caller));
    } catch (error) {
      if (error instanceof OverRateError) return this.delay(caller, error);
      if (!(error instanceof StateError)) throw error;
      return { reply: 'rejected', failure: rejectionOf(error) };
    }
  }

  /** A timer makes the call later, while its task stays open. Without timers, the machine repeats the task after a fault. */
  private async delay(caller: WaitingRun, error: OverRateError): Promise<undefined> {
    const { ports, task } = this;
    const due = ports.clock.now() + error.delayMs;
    if (!(await armRetry(ports, caller, task, { due, turn: `turn ${due}` }))) throw new FaultError(error);
  }

  /** The caller, if it still waits at the wait that the machine means. */
  private async findCaller(): Promise<WaitingRun | undefined> {
    const run = await runs.find(this.ports, this.task.run);
    return isWaiting(run, this.task.pause) ? run : undefined;
  }

  /** Makes the call, or takes up the child that an earlier task of the same call made. */
  private async begin(caller: WaitingRun): Promise<TaskReply | undefined> {
    const { ports, task } = this;
    const stored = await runs.find(ports, childId(caller, caller.wait.origin, task.call));
    if (stored?.kind === 'call') return (await this.cancelIfLeft(stored)) ? undefined : this.serve(stored);
    if (stored !== undefined) return this.takeUp(stored);
    const call = { ...(await prepareCall(ports, caller, task.call)), task };
    const child = await call.callee.newChild(ports, call);
    return call.callee.kind === 'subflow' ? this.runHere(child) : this.storeAndServe(child);
  }

  /** Begins a child that is stored for this call, or takes it up where it stands. */
  private takeUp(child: runs.Run): Promise<undefined> {
    const { parent } = child;
    const isUnbegun = child.status === 'pending' && child.machine === '' && child.step === 0 && !runs.isQueued(child);
    if (!isUnbegun || parent === undefined) return this.continueInMachine(child);
    return this.runHere(this.holding(child));
  }

  /** Runs a child that holds the token of the task up to its end or its first wait, at which a machine continues it. */
  private async runHere(child: runs.Run): Promise<undefined> {
    const { ports, task } = this;
    const revision = await revisions.need(ports, child.workflowId, child.revision);
    const chooseExecution = (current: runs.Run) => firstExecution(ports, revision, current);
    const until = ports.clock.now() + IN_PLACE_MS;
    const begun = await runChildInPlace(ports)(child, revision, until, chooseExecution);
    const isMine = begun.parent?.token === task.token;
    // The end of a child that this call has committed is reported.
    if (begun.status !== 'pending') return isMine ? undefined : this.reportAgain(begun);
    if (!isMine || begun.machine === '') return this.continueInMachine(begun);
    await this.cancelIfLeft(await startOrMove(ports, begun));
    return undefined;
  }

  /** Gives a stored child an execution, which ends the task in the end; one that has ended is reported at once. */
  private async continueInMachine(child: runs.Run): Promise<undefined> {
    const launched = await launch(this.ports, child, this.task);
    if (launched.status !== 'pending') return this.reportAgain(launched);
    await this.cancelIfLeft(launched);
    return undefined;
  }

  /** The child with this task: it has an earlier one, or none. */
  private holding(child: runs.Run): runs.Run {
    return child.parent === undefined ? child : { ...child, parent: callerWith(child.parent, this.task) };
  }

  /** Reports an end that another process may have reported: it runs no state here. */
  private async reportAgain(child: runs.Run): Promise<undefined> {
    await deliver(this.ports, this.holding(child));
    return undefined;
  }

  /** A caller that has left its wait in the meantime did not see this child and cannot cancel it. */
  private async cancelIfLeft(child: runs.Run): Promise<boolean> {
    const caller = await this.findCaller();
    if (caller !== undefined) {
      if (isDetached(caller)) await limitWait(this.ports, caller);
      return false;
    }
    await cancel(this.ports, child, BY_PARENT);
    return true;
  }

  private async storeAndServe(child: runs.Run): Promise<TaskReply | undefined> {
    const stored = await storeChild(this.ports, child);
    return (await this.cancelIfLeft(stored)) ? undefined : this.serve(stored);
  }

  /** Offers the task of a worker, or calls the container or function of a child and reports its end. */
  private async serve(stored: runs.Run): Promise<TaskReply | undefined> {
    const { ports, task } = this;
    const child = await admitCall(ports, stored);
    // It waits for the limits of its function, or has an execution since it did.
    if (runs.isQueued(child) || isMadeElsewhere(child)) return this.continueInMachine(child);
    if (runs.isTask(child)) {
      const offered = await offerTask(ports, child, task);
      return offered.status === 'pending' ? undefined : this.reportAgain(offered);
    }
    if (isMadeByMachine(child)) return this.continueInMachine(child);
    const begun = child.parent?.mode === 'or' ? await noteBegin(ports, child) : child;
    const ended = begun.machine === '' ? await serve(ports, begun, true) : begun;
    if (ended.status === 'pending') return { reply: 'timedOut' };
    await deliver(ports, this.holding(ended), { wakeCaller, hasStopped: true });
    return undefined;
  }
}
