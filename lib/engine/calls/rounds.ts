import { mayRunInPlace } from '../../compiler/plan/execution.ts';
import type { ActionPlan } from '../../compiler/plan/plan.ts';
import { isBegun, isBroken, resultOf } from '../../domain/runs/container-calls.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Calls, WaitingCall } from '../../domain/runs/waits.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { failure, internalFailure, StateFailure } from '../evaluation/failures.ts';
import { toSeconds, verdictOn } from '../run/endings.ts';
import type { Draft } from '../run/unit-of-work.ts';
import { Hold, type ReturnedCall, type Signal } from '../run/work.ts';
import { cancelCalls } from './cancel.ts';
import {
  type Callee,
  type Calling,
  childId,
  givenOf,
  launch,
  newChild,
  openCallee,
  retriesOf,
  store,
} from './children.ts';

/** The calls that a state makes. */
export interface CallList {
  readonly total: number;
  readonly mode: 'and' | 'or';
  /** An ISO 8601 duration. */
  readonly timeout: string | undefined;
  /** The calls are one for each element of a list. */
  readonly isLoop?: boolean;
  /** The action of a call, and the data over which its input is evaluated. */
  readonly at: (i: number) => { readonly action: ActionPlan; readonly data: unknown };
  /** What the log says when a call has returned; undefined: nothing. */
  readonly said: (i: number, returned: number) => string | undefined;
}

/** So many calls of a state wait in a machine at once; its history holds them all. */
const ROUND = 200;
/** So many children run in place side by side: while one waits for the database another one computes. */
const ABREAST = 8;

/** A child that is begun in place has at least this long, however late it is for its caller. */
const SHORTEST_CHILD_MS = 1000;

const DEFAULT_TIMEOUT = 'PT15M';

/** When calls with that timeout are given up that begin at `from`, milliseconds since 1970. */
export function deadlineOf(from: number, timeout: string | undefined): number {
  const duration = parseDuration(timeout ?? DEFAULT_TIMEOUT) ?? parseDuration(DEFAULT_TIMEOUT);
  return duration === undefined ? from : addDuration(from, duration);
}

type Made = { readonly i: number; readonly ended?: runs.Run };

/** The calls of a state on their way: begins them, round by round, and takes in what they return. */
export class CallRound {
  private readonly draft: Draft;
  private readonly list: CallList;
  private readonly until: number;
  private readonly calling: Calling;
  private readonly callees = new Map<ActionPlan, Promise<Callee>>();
  private results: unknown[];
  private waiting: WaitingCall[];
  private next: number;
  private returned: number;
  private failed: number;
  /** A branch of `or` has succeeded: that decides, whatever the others do. */
  private won = false;

  constructor(draft: Draft, list: CallList, calls?: Calls) {
    this.draft = draft;
    this.list = list;
    this.until = deadlineOf(draft.entered, list.timeout);
    const wake = Math.min(this.until, draft.deadline);
    const { mode, isLoop = false } = list;
    this.calling = { caller: draft.caller, origin: draft.origin, state: draft.at, wake, mode, isLoop };
    this.results = [...(calls?.results ?? [])];
    this.waiting = [...(calls?.waiting ?? [])];
    this.next = calls?.next ?? 0;
    this.returned = calls?.returned ?? 0;
    this.failed = calls?.failed ?? 0;
  }

  private get calls(): Calls {
    const { results, waiting, next, returned, failed } = this;
    return { total: this.list.total, results, waiting, next, returned, failed };
  }

  private hold(isWaiting: boolean): Hold {
    return new Hold({ isWaiting, until: this.until, calls: this.calls });
  }

  /**
   * Begins what can be begun. Answers the results when every call has returned, else what the state waits for. What
   * the run wrote is committed first: its children may read it.
   */
  async advance(): Promise<Hold | readonly unknown[]> {
    const { draft, list } = this;
    if (draft.weight > 0) return this.hold(false);
    if (this.won) return this.letRun();
    let isFirst = true;
    while (this.next < list.total && this.waiting.length < ROUND) {
      if (!isFirst && draft.ports.clock.now() >= draft.tools.until) return this.hold(false);
      isFirst = false;
      await this.beginSome();
    }
    if (this.won) return this.letRun();
    if (this.waiting.length > 0) return this.hold(true);
    if (list.mode === 'or') throw failure('parallel.allFailed', 'all parallel actions failed');
    return this.results;
  }

  private async beginSome(): Promise<void> {
    const to = Math.min(this.next + ABREAST, this.list.total, this.next + ROUND - this.waiting.length);
    const numbers = Array.from({ length: to - this.next }, (_, index) => this.next + index);
    const made = await Promise.allSettled(numbers.map((i) => this.make(i)));
    this.next = to;
    for (const one of made) if (one.status === 'fulfilled' && one.value.ended === undefined) this.wait(one.value.i, 0);
    const broken = made.find((one) => one.status === 'rejected');
    if (broken !== undefined) await this.giveUp(broken.reason);
    for (const one of made)
      if (one.status === 'fulfilled' && one.value.ended) await this.take(one.value.i, 0, one.value.ended);
  }

  private wait(i: number, k: number, s?: number): void {
    this.waiting.push({ i, k, ...(s === undefined ? {} : { s }) });
  }

  private calleeOf(action: ActionPlan): Promise<Callee> {
    const { draft, callees } = this;
    const known = callees.get(action) ?? openCallee(draft.tools.ports, draft.caller, draft.tools.plan, action);
    callees.set(action, known);
    return known;
  }

  /** Runs a child in place if it may get to its end so, else stores it for the machine to call. */
  private async make(i: number): Promise<Made> {
    const { draft, list, calling } = this;
    const { action, data } = list.at(i);
    const callee = await this.calleeOf(action);
    const given = await givenOf(callee, data, draft.tools.readSecrets);
    const child = await newChild(draft.tools.ports, callee, calling, { i, k: 0 }, given);
    const stored = await this.begin(callee, child);
    return stored.status === 'pending' ? { i } : { i, ended: stored };
  }

  private begin(callee: Callee, child: runs.Run): Promise<runs.Run> {
    const { ports, tools } = this.draft;
    if (callee.kind === 'service') return store(ports, child);
    const { revision } = callee.opened;
    const isShort = revision.plan !== undefined && mayRunInPlace(revision.plan);
    if (!isShort) return store(ports, child);
    return tools.runInPlace(child, revision, Math.max(tools.until, ports.clock.now() + SHORTEST_CHILD_MS));
  }

  /** Takes in how an attempt ended. Throws when that decides the state. */
  private async take(i: number, k: number, child: runs.Run): Promise<void> {
    const { draft, list } = this;
    draft.log(`Child '${child.id}' returned.`);
    if (child.status === 'complete') return this.succeed(i, child);
    this.report(child);
    const { action } = list.at(i);
    const verdict = verdictOn(child, retriesOf(action), { k }, draft.ports.settings.brand);
    if (typeof verdict === 'object') {
      draft.repeat();
      draft.log(`Scheduling retry attempt in: ${verdict.again / 1000}s.`);
      this.wait(i, k + 1, toSeconds(verdict.again));
    } else if (list.mode === 'or') this.failed += 1;
    else await this.giveUp(failureOf(child, verdict === 'exceeded'));
  }

  private succeed(i: number, child: runs.Run): void {
    const { draft, list } = this;
    if (this.won) return;
    this.returned += 1;
    const said = list.said(i, this.returned);
    if (said !== undefined) draft.log(said);
    this.won = list.mode === 'or';
    this.results[i] = resultOf(child);
  }

  /** Nobody waits for the others any more, but they run on. */
  private async letRun(): Promise<readonly unknown[]> {
    const { draft, calling } = this;
    const ids = this.waiting.map(({ i }) => childId(draft.caller, calling.origin, { i, k: 0 }));
    for (const child of await runs.findMany(draft.ports, ids)) {
      if (child?.status === 'pending' && child.machine === '' && !isBegun(child)) await launch(draft.ports, child, '');
    }
    return Array.from({ length: this.list.total }, (_, i) => this.results[i] ?? null);
  }

  private report({ status, code, message }: runs.Run): void {
    const isCrash = status === 'crashed';
    const text = isCrash
      ? `Action crashed due to an internal error: ${message}`
      : `Action raised catchable error '${code}': ${message}.`;
    this.draft.log(text, 'error');
  }

  /** Ends the calls still under way and fails the state. */
  private async giveUp(reason: unknown): Promise<never> {
    const { draft, calls } = this;
    const pause = { number: 0, state: draft.at, isWaiting: true, entered: draft.entered, wake: 0, until: 0 };
    await cancelCalls(draft.tools.ports, { ...draft.caller, pause: { ...pause, origin: draft.origin, calls } });
    throw reason;
  }

  /** Goes on after the machine came back. */
  async resume(signal: Signal): Promise<Hold | readonly unknown[]> {
    if (signal.kind === 'returned') await this.takeAll(signal.calls);
    else if (signal.kind === 'won' || signal.kind === 'failed') await this.takeAll([signal.call]);
    else if (signal.kind === 'broken') {
      await this.giveUp(internalFailure(`a call could not be made: ${signal.error}: ${signal.cause}`));
    } else if (signal.kind === 'late') await this.giveUp(failure('cancels.timeout.soft', 'operation timed out'));
    return this.advance();
  }

  private async takeAll(calls: readonly ReturnedCall[]): Promise<void> {
    const { draft } = this;
    const firstOf = new Map(this.waiting.map(({ i, k }) => [i, k]));
    const decided = new Set(calls.map(({ i }) => i));
    this.waiting = this.waiting.filter(({ i }) => !decided.has(i));
    const keys = calls.flatMap(({ i, k }) => range(firstOf.get(i) ?? 0, k).map((attempt) => ({ i, k: attempt })));
    const children = await runs.findMany(
      draft.ports,
      keys.map((key) => childId(draft.caller, draft.origin, key)),
    );
    for (const [index, key] of keys.entries()) {
      const child = children[index];
      if (child === undefined) throw internalFailure(`call ${key.i} has no instance`);
      const isLast = keys[index + 1]?.i !== key.i;
      if (isLast)
        await this.takeLast(
          key.i,
          child,
          calls.find(({ i }) => i === key.i),
        );
      else this.retell(key.i, key.k, child);
    }
  }

  private async takeLast(i: number, child: runs.Run, call: ReturnedCall | undefined): Promise<void> {
    if (child.status === 'complete' || call === undefined) return this.take(i, call?.k ?? 0, child);
    this.draft.log(`Child '${child.id}' returned.`);
    this.report(child);
    if (this.list.mode === 'or') this.failed += 1;
    else await this.giveUp(failureOf(child, call.exceeded === true));
  }

  /** An attempt that the machine repeated by itself shows in the log afterwards. */
  private retell(i: number, k: number, child: runs.Run): void {
    const { draft } = this;
    draft.log(`Child '${child.id}' returned.`);
    this.report(child);
    const retries = retriesOf(this.list.at(i).action);
    const delay = retries === undefined ? 0 : retries.delay * retries.multiplier ** k;
    draft.repeat();
    for (const text of [`Scheduling retry attempt in: ${delay / 1000}s.`, 'Waking up to retry.', 'Retrying...'])
      draft.log(text);
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A child's failure as its caller sees it (reference, 7.1). */
function failureOf(child: runs.Run, isExceeded: boolean): StateFailure {
  if (isExceeded) return failure('retries.exceeded', 'maximum retries exceeded');
  if (isBroken(child)) return internalFailure(child.message);
  const { code, message } = child;
  return new StateFailure('catchable', code, message, { own: true });
}
