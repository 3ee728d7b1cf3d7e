import type { Calls, FailedCall, WaitingCall } from '../../domain/runs/waits.ts';

/** How many calls of a state wait in a machine at once (a round): its history holds them all. */
const ROUND_SIZE = 200;

/** The progress of a state that makes calls: which are begun, which a machine waits for, and their results. */
export class CallProgress {
  private readonly total: number;
  private readonly results: unknown[];
  private waitingCalls: WaitingCall[];
  private next: number;
  private returned: number;
  private failed: number;
  private readonly errors: FailedCall[];
  private hasUnstored: boolean;

  constructor(total: number, stored?: Calls) {
    this.total = total;
    this.results = [...(stored?.results ?? [])];
    this.waitingCalls = [...(stored?.waiting ?? [])];
    this.next = stored?.next ?? 0;
    this.returned = stored?.returned ?? 0;
    this.failed = stored?.failed ?? 0;
    this.errors = [...(stored?.errors ?? [])];
    this.hasUnstored = stored?.unstored ?? false;
  }

  /** The progress as it is stored with the wait. */
  get stored(): Calls {
    const { total, results, waitingCalls: waiting, next, returned, failed, errors } = this;
    const more = {
      ...(errors.length === 0 ? {} : { errors }),
      ...(this.hasUnstored ? { unstored: true as const } : {}),
    };
    return { total, results, waiting, next, returned, failed, ...more };
  }

  /** The calls that a machine waits for. */
  get waiting(): readonly WaitingCall[] {
    return this.waitingCalls;
  }

  /** Whether a call is left to begin and the round has room for it. */
  get canBegin(): boolean {
    return this.next < this.total && this.waitingCalls.length < ROUND_SIZE;
  }

  /** Takes the next calls to begin, `most` at most. Returns their numbers. */
  begin(most: number): number[] {
    const room = ROUND_SIZE - this.waitingCalls.length;
    const to = Math.min(this.next + most, this.total, this.next + room);
    const numbers = Array.from({ length: to - this.next }, (_, index) => this.next + index);
    this.next = to;
    return numbers;
  }

  /** Adds an attempt for the machine to make. */
  wait(call: WaitingCall): void {
    this.waitingCalls.push(call);
  }

  /** Removes calls that returned from those that wait. Returns the awaited attempts, by number of the call. */
  stopWaiting(numbers: ReadonlySet<number>): ReadonlyMap<number, number> {
    const attempts = new Map(this.waitingCalls.map(({ i, k }) => [i, k]));
    this.waitingCalls = this.waitingCalls.filter(({ i }) => !numbers.has(i));
    return attempts;
  }

  /** How many calls have succeeded. */
  get succeeded(): number {
    return this.returned;
  }

  /** Keeps the result of a call that is not stored, before it is counted: another call may fail the state first. */
  keepUnstored(i: number, result: unknown): void {
    this.results[i] = result;
    this.hasUnstored = true;
  }

  /** Counts a call that succeeded. */
  succeed(i: number, result: unknown): void {
    this.returned += 1;
    this.results[i] = result;
  }

  /** Counts a call that failed where one failure does not fail the state. */
  fail(error?: FailedCall): void {
    this.failed += 1;
    if (error !== undefined) this.errors.push(error);
  }

  /** The failures of a state that collects them, by number of the call. */
  get allErrors(): readonly FailedCall[] {
    return this.errors.toSorted((a, b) => a.i - b.i);
  }

  /** The results by number of the call; null for a call without one. */
  allResults(): readonly unknown[] {
    return Array.from({ length: this.total }, (_, i) => this.results[i] ?? null);
  }
}
