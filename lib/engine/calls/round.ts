import type { Rejection, ResumeSignal } from '../../compiler/emit/task-protocol.ts';
import type { CalleeKind } from '../../compiler/plan/execution.ts';
import type { ActionPlan } from '../../compiler/plan/plan.ts';
import { isCallBegun, resultOf } from '../../domain/runs/call-results.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Calls, FailedCall } from '../../domain/runs/waits.ts';
import { failure, internalFailure, StateError } from '../evaluation/failures.ts';
import { OverRateError } from '../limits/starts.ts';
import { childId } from '../run/child-ids.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import { Suspend } from '../run/suspension.ts';
import { endOfWait } from '../run/timeouts.ts';
import { type Caller, NO_TASK } from './callees/callee.ts';
import { launch } from './callees/children.ts';
import { CallIntake } from './intake.ts';
import type { CallList } from './list.ts';
import { CallProgress } from './progress.ts';
import { type Begun, CallStarter } from './starter.ts';

/** How many children run in place side by side: while one waits for the database another one computes. */
const CONCURRENCY = 8;

const toStateError = ({ kind, code, own, message }: Rejection): StateError =>
  new StateError(kind, code, message, { own });

/** Whether a call succeeded in place without being stored: only the run that made it has the result. */
const isUnstored = ({ seq, status, kind }: runs.Run): boolean => kind === 'call' && seq === 0 && status === 'complete';

/** The first attempt of a call: begun, left to the machine, or rejected because it could not be made. */
type FirstAttempt =
  | ({ readonly kind: 'begun'; readonly i: number } & Begun)
  | { readonly kind: 'delayed'; readonly i: number }
  | { readonly kind: 'rejected'; readonly i: number; readonly reason: unknown };

/** The results and the failures of the calls of a state. */
export interface Returned {
  /** By number of the call; null for a call without a result. */
  readonly results: readonly unknown[];
  /** The failures of a state that collects them. */
  readonly errors: readonly FailedCall[];
}

/** The result of a state that makes calls: the results of all its calls, or a wait for them. */
export type RoundResult = Suspend | Returned;

/**
 * The calls of a state, in rounds: begins as many as a machine may wait for at once, takes in their results, begins the
 * next ones.
 */
export class CallRound {
  private readonly unit: StepUnit;
  private readonly list: CallList;
  private readonly until: number;
  private readonly caller: Caller;
  private readonly progress: CallProgress;
  private readonly starter: CallStarter;
  private readonly intake: CallIntake;

  /** `calls` is the progress that the state's wait holds, if it waited. */
  constructor(unit: StepUnit, list: CallList, calls?: Calls) {
    const { mode, isLoop = false } = list;
    this.unit = unit;
    this.list = list;
    this.until = endOfWait(unit.entered, list.timeout);
    const wake = Math.min(this.until, unit.deadline);
    this.caller = { run: unit.caller, origin: unit.origin, state: unit.at, wake, mode, isLoop };
    this.progress = new CallProgress(list.total, calls);
    this.starter = new CallStarter(unit, list, this.caller);
    this.intake = new CallIntake(unit, list, this.progress);
    unit.recorder.followCalls(unit.origin, () => this.progress.stored);
  }

  /**
   * Begins the calls that can be begun. Returns the results when every call has returned, else the wait. First commits
   * the writes of the run, which its children may read, and a run that is not stored: no child outlives its caller.
   * Throws StateError when a failure fails the state.
   */
  async advance(): Promise<RoundResult> {
    const { unit, list, progress, intake } = this;
    if (progress.canBegin && unit.tools.isBrief && (await this.starter.takesLong())) return this.moveAway();
    if (await this.mustCommitFirst()) return this.suspend(false);
    for (let isFirst = true; progress.canBegin; isFirst = false) {
      if (!isFirst && unit.ports.clock.now() >= unit.tools.until) return this.suspend(false);
      await this.beginSome();
    }
    if (intake.hasWinner) return this.finishWon();
    if (progress.waiting.length > 0) return this.suspend(true);
    if (list.mode === 'or') throw failure('parallel.allFailed', 'all parallel actions failed');
    return this.returned;
  }

  /**
   * Whether to commit before a call. A native function acts outside: the changes that it depends on are committed
   * before, so that a repeated step sends the same again (docs/decisions/019-calls-made-by-steps.md).
   */
  private async mustCommitFirst(): Promise<boolean> {
    const { unit, progress, list } = this;
    if (unit.mustCommitFirst || !progress.canBegin || !unit.hasPassedStates) return unit.mustCommitFirst;
    const kinds = await Promise.all(list.actions.map((action) => this.kindOf(action)));
    return kinds.includes('native');
  }

  /** The kind of the callee of an action; undefined for a function that the workflow does not have. */
  kindOf(action: ActionPlan): Promise<CalleeKind | undefined> {
    return this.starter.kindOf(action);
  }

  /**
   * Goes on after a wait or a checkpoint. Returns and throws as `advance` does. After the machine has reported a call that
   * completes the state, no further call is begun.
   */
  async resume(signal: ResumeSignal): Promise<RoundResult> {
    await this.takeIn(signal);
    return signal.kind !== 'due' && this.intake.hasWinner ? this.finishWon() : this.advance();
  }

  private async takeIn(signal: ResumeSignal): Promise<void> {
    const { intake } = this;
    if (signal.kind === 'callsReturned') await intake.takeReturned(signal.calls);
    if (signal.kind === 'callDecided') await intake.takeReturned([signal.call]);
    if (signal.kind === 'callRejected') await intake.abort(toStateError(signal.failure));
    if (signal.kind === 'timedOut') await intake.abort(failure('cancels.timeout.soft', 'operation timed out'));
    if (signal.kind !== 'machineFailed') return;
    await intake.abort(internalFailure(`a call could not be made: ${signal.error}: ${signal.cause}`));
  }

  /** Leaves the calls to a machine, which continues the run at this state. */
  private moveAway(): Suspend {
    this.unit.mustMove = true;
    return this.suspend(false);
  }

  private suspend(isWaiting: boolean): Suspend {
    return new Suspend({ isWaiting, until: this.until, calls: this.progress.stored });
  }

  private async beginSome(): Promise<void> {
    const attempts = await this.tryCalls(this.progress.begin(Math.min(CONCURRENCY, this.list.width ?? CONCURRENCY)));
    // All that were begun are noted before one fails the state, which cancels those that wait.
    for (const attempt of attempts) this.note(attempt);
    for (const attempt of attempts) if (attempt.kind === 'rejected') await this.takeRejection(attempt);
    for (const attempt of attempts) if (attempt.kind === 'begun') await this.takeBegun(attempt);
  }

  /** Begins calls side by side. */
  private async tryCalls(numbers: readonly number[]): Promise<readonly FirstAttempt[]> {
    const controller = new AbortController();
    const begin = async (i: number): Promise<FirstAttempt> => {
      try {
        const begun = await this.starter.begin(i, controller.signal);
        // The others need not be waited for.
        if (this.intake.isDecidedBy(i, begun.child)) controller.abort();
        return { kind: 'begun', i, ...begun };
      } catch (reason) {
        if (reason instanceof OverRateError) return { kind: 'delayed', i };
        return { kind: 'rejected', i, reason };
      }
    };
    return Promise.all(numbers.map(begin));
  }

  /** Notes a call that a machine must wait for, and a result that only this run has. */
  private note(attempt: FirstAttempt): void {
    if (attempt.kind === 'delayed') this.progress.wait({ i: attempt.i, k: 0 });
    if (attempt.kind !== 'begun') return;
    const { i, child } = attempt;
    if (child.status === 'pending') this.progress.wait({ i, k: 0 });
    else if (this.list.mode !== 'or' && isUnstored(child)) this.progress.keepUnstored(i, resultOf(child));
  }

  /** Lists the failure of a call that could not be made where failures are collected; else it fails the state. */
  private async takeRejection({ i, reason }: Extract<FirstAttempt, { readonly kind: 'rejected' }>): Promise<void> {
    const isListed = this.list.mode === 'collect' && reason instanceof StateError && reason.kind === 'catchable';
    if (!isListed) await this.intake.abort(reason);
    else this.intake.collect(i, reason);
  }

  private async takeBegun({ i, child, isReused }: Extract<FirstAttempt, { readonly kind: 'begun' }>): Promise<void> {
    if (isReused) this.intake.takeReused(i, child);
    else if (child.status !== 'pending') await this.intake.take(i, 0, child);
  }

  /** Ends the wait for the other calls, which run on in executions of their own. */
  private async finishWon(): Promise<Returned> {
    const { unit, caller, progress } = this;
    const ids = progress.waiting.map(({ i }) => childId(unit.caller, caller.origin, { i, k: 0 }));
    for (const child of await runs.findMany(unit.ports, ids)) {
      const isIdle = child?.status === 'pending' && child.machine === '' && !isCallBegun(child);
      if (isIdle) await launch(unit.ports, child, NO_TASK);
    }
    return this.returned;
  }

  private get returned(): Returned {
    // The failed calls of a state that collects errors can be repeated.
    if (this.progress.allErrors.length > 0) this.unit.recorder.noteCalls();
    return { results: this.progress.allResults(), errors: this.progress.allErrors };
  }
}

/** Puts the results of the calls of a state, or the result of `pick`, under `return` in the data; passes on a wait. */
export function keepReturned(
  unit: StepUnit,
  result: RoundResult,
  pick: (returned: Returned) => unknown = ({ results }) => results,
): Suspend | undefined {
  if (result instanceof Suspend) return result;
  unit.data = { ...unit.data, return: pick(result) };
  return undefined;
}
