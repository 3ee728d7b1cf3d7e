import type { ReturnedCall } from '../../compiler/emit/task-protocol.ts';
import { isCrashedCall, resultOf, sentOf, sentText } from '../../domain/runs/call-results.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { CallKey } from '../../domain/runs/waits.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import { cancelCalls } from '../delivery/deliver.ts';
import { failure, internalFailure, StateError } from '../evaluation/failures.ts';
import { toWaitSeconds } from '../machines/wait-seconds.ts';
import { childId } from '../run/child-ids.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import { decideRetry, retryDelay, retryPolicyOf } from '../run/retry-decisions.ts';
import type { CallList } from './list.ts';
import type { CallProgress } from './progress.ts';

/** Takes in how the calls of a state end: logs it, keeps results, schedules retries, fails the state. */
export class CallIntake {
  private readonly unit: StepUnit;
  private readonly list: CallList;
  private readonly progress: CallProgress;

  constructor(unit: StepUnit, list: CallList, progress: CallProgress) {
    this.unit = unit;
    this.list = list;
    this.progress = progress;
  }

  /** Whether a call of mode `or` has succeeded: the state is complete, however the others end. */
  get hasWinner(): boolean {
    return this.list.mode === 'or' && this.progress.succeeded > 0;
  }

  /** Whether the first attempt of a call decides the state, however the other calls end. */
  isDecidedBy(i: number, child: runs.Run): boolean {
    const { list, unit } = this;
    if (child.status === 'pending' || list.mode === 'collect') return false;
    if (list.mode === 'or' || child.status === 'complete') return list.mode === 'or' && child.status === 'complete';
    const policy = retryPolicyOf(list.callAt(i).action);
    return decideRetry(child, policy, 0, unit.ports.settings.brand).kind !== 'retry';
  }

  /** Takes in an attempt that ended in this step. Throws StateError when its failure fails the state. */
  async take(i: number, k: number, child: runs.Run): Promise<void> {
    const { unit, list, progress } = this;
    this.logReturn(child);
    if (child.status === 'complete') return this.succeed({ i, k }, child);
    const policy = retryPolicyOf(list.callAt(i).action);
    const decision = decideRetry(child, policy, k, unit.ports.settings.brand);
    if (decision.kind !== 'retry') return this.fail({ i, k }, child, decision.kind === 'exhausted');
    unit.countRetry();
    this.record({ i, k }, child, decision.delay);
    unit.log(`Scheduling retry attempt in: ${decision.delay / 1000}s.`);
    progress.wait({ i, k: k + 1, s: toWaitSeconds(decision.delay) });
  }

  /** Takes in a call that succeeded in a run which this one repeats. */
  takeReused(i: number, child: runs.Run): void {
    this.unit.log(`Call ${i} is not repeated: its result is that of '${child.id}'.`);
    this.unit.recorder.addCall({ i, k: 0, id: child.id, reused: true });
    this.keep(i, child);
  }

  /** Takes in the calls that a machine reports as returned. Throws StateError when a failure fails the state. */
  async takeReturned(calls: readonly ReturnedCall[]): Promise<void> {
    const { unit, progress } = this;
    const attempts = progress.stopWaiting(new Set(calls.map(({ i }) => i)));
    const keys = calls.flatMap(({ i, k }) => range(attempts.get(i) ?? 0, k).map((attempt) => ({ i, k: attempt })));
    const ids = keys.map((key) => childId(unit.caller, unit.origin, key));
    const children = await runs.findMany(unit.ports, ids);
    for (const [index, { i, k }] of keys.entries()) {
      const child = children[index];
      if (child === undefined) throw internalFailure(`call ${i} has no instance`);
      const isLast = keys[index + 1]?.i !== i;
      if (k > 0) this.logRetry(child);
      if (isLast) await this.takeLast(child, calls.find((call) => call.i === i) ?? { i, k });
      else this.logRepeated(i, k, child);
    }
  }

  /** Cancels the calls that still wait, and throws the reason. */
  async abort(reason: unknown): Promise<never> {
    const { unit, progress } = this;
    await cancelCalls(unit.ports, unit.caller, { origin: unit.origin, calls: progress.stored });
    throw reason;
  }

  /** The machine has decided about retries already: a failed last attempt is not retried. */
  private async takeLast(child: runs.Run, { i, k, exceeded }: ReturnedCall): Promise<void> {
    if (child.status === 'complete') return this.take(i, k, child);
    this.logReturn(child);
    await this.fail({ i, k }, child, exceeded === true);
  }

  private succeed(key: CallKey, child: runs.Run): void {
    this.record(key, child);
    if (!this.hasWinner) this.keep(key.i, child);
  }

  private keep(i: number, child: runs.Run): void {
    this.progress.succeed(i, resultOf(child));
    const line = this.list.lineFor(i, this.progress.succeeded);
    if (line !== undefined) this.unit.log(line);
  }

  private async fail(key: CallKey, child: runs.Run, isExhausted: boolean): Promise<void> {
    this.record(key, child);
    const { mode } = this.list;
    if (mode === 'or') return this.progress.fail();
    const failed = failureOf(child, isExhausted);
    if (mode === 'collect') this.collect(key.i, failed);
    else await this.abort(failed);
  }

  /** Lists a failure beside the results. */
  collect(i: number, failed: StateError): void {
    const { unit, progress } = this;
    const code = failed.own ? failed.code : unit.branded(failed.code);
    progress.fail({ i, code, message: failed.message });
  }

  /** Logs the end of a call at the time at which it ended. */
  private logReturn({ id, status, code, message, updated }: runs.Run): void {
    const { unit } = this;
    unit.log(`Child '${id}' returned.`, 'info', unit.at, updated);
    if (status === 'complete') return;
    const isCrash = status === 'crashed';
    const text = isCrash
      ? `Action crashed due to an internal error: ${message}`
      : `Action raised catchable error '${code}': ${message}.`;
    unit.log(text, 'error', unit.at, updated);
  }

  /** Logs the beginning of an attempt that the machine made, at its time. */
  private logRetry({ created }: runs.Run): void {
    for (const text of ['Waking up to retry.', 'Retrying...']) this.unit.log(text, 'info', this.unit.at, created);
  }

  private record({ i, k }: CallKey, child: runs.Run, retryIn?: number): void {
    const { id, status, code, message, created, began } = child;
    const sent = sentOf(child);
    const failed = status === 'complete' ? {} : { code, message };
    const queued = child.kind === 'call' && began !== undefined ? began - created : undefined;
    const more = omitUndefined({ retryIn, queued, sent: sent && sentText(sent) });
    this.unit.recorder.addCall({ i, k, id, ...failed, ...more });
  }

  /** Logs an attempt that the machine has retried by itself. */
  private logRepeated(i: number, k: number, child: runs.Run): void {
    const { unit } = this;
    this.logReturn(child);
    const policy = retryPolicyOf(this.list.callAt(i).action);
    const delay = policy === undefined ? 0 : retryDelay(policy, k, child);
    unit.countRetry();
    this.record({ i, k }, child, delay);
    unit.log(`Scheduling retry attempt in: ${delay / 1000}s.`, 'info', unit.at, child.updated);
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A child's failure as its caller's state fails with it (reference, 7.1). */
function failureOf(child: runs.Run, isExhausted: boolean): StateError {
  const { code, message } = child;
  if (isExhausted) {
    return failure('retries.exceeded', `maximum retries exceeded: the last attempt failed with '${code}': ${message}`);
  }
  if (isCrashedCall(child)) return internalFailure(child.message);
  const hints = child.kind === 'workflow' ? [`the called workflow '${child.path}' failed as instance ${child.id}`] : [];
  return new StateError('catchable', code, message, { own: true, evaluated: { hints } });
}
