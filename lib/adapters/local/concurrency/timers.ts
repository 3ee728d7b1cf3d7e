/**
 * Calls `ring` once after `milliseconds` at the latest, unless the returned function is called before. `Timers` sets it
 * again if it rings early.
 */
export type Alarm = (milliseconds: number, ring: () => void) => () => void;

/** A pending timer. */
export interface Timer {
  /** The timer never rings after this. */
  cancel(): void;
}

interface Entry {
  readonly due: number;
  readonly order: number;
  ring: (() => void) | undefined;
}

/**
 * setTimeout notices neither a change of the wall clock nor that the machine slept, so the clock is read this often.
 */
const MAX_SLEEP_MS = 60_000;

/** The alarm of the system: setTimeout. Rings after 60 s at the latest. */
export const systemAlarm: Alarm = (milliseconds, ring) => {
  const timeout = setTimeout(ring, Math.min(milliseconds, MAX_SLEEP_MS));
  return () => clearTimeout(timeout);
};

/**
 * Any number of timers on one alarm: a binary heap by due time, FIFO at equal times. A due time may be in the past or
 * years ahead. Times are milliseconds since 1970.
 */
export class Timers {
  readonly #now: () => number;
  readonly #alarm: Alarm;
  #heap: Entry[] = [];
  #cancelled = 0;
  #order = 0;
  #armedFor = Number.POSITIVE_INFINITY;
  #disarm: (() => void) | undefined;

  constructor(now: () => number, alarm: Alarm) {
    this.#now = now;
    this.#alarm = alarm;
  }

  /** The number of pending timers. */
  get size(): number {
    return this.#heap.length - this.#cancelled;
  }

  /** Calls `ring` at `due`, never earlier and never within this call. */
  at(due: number, ring: () => void): Timer {
    // A timer for the past comes after those that are due already, so that a loop of them delays no other timer.
    const entry: Entry = { due: Math.max(due, this.#now()), order: this.#order++, ring };
    this.#heap.push(entry);
    rise(this.#heap, this.#heap.length - 1);
    this.#arm();
    return { cancel: () => this.#cancel(entry) };
  }

  /** Cancels all timers. */
  close(): void {
    this.#heap = [];
    this.#cancelled = 0;
    this.#rest();
  }

  #cancel(entry: Entry): void {
    if (!entry.ring) return;
    entry.ring = undefined;
    this.#cancelled++;
    // Cancelled entries are removed at the top. A heap of mostly cancelled entries is rebuilt, so that it cannot grow
    // without limit.
    if (this.#cancelled > 64 && this.#cancelled * 2 > this.#heap.length) this.#rebuild();
    this.#arm();
  }

  #rebuild(): void {
    this.#heap = this.#heap.filter((entry) => entry.ring).sort((a, b) => a.due - b.due || a.order - b.order);
    this.#cancelled = 0;
  }

  #arm(): void {
    this.#dropDead();
    const next = this.#heap[0];
    if (next && next.due === this.#armedFor) return;
    this.#rest();
    if (!next) return;
    this.#armedFor = next.due;
    this.#disarm = this.#alarm(Math.max(next.due - this.#now(), 0), () => this.#ringDue());
  }

  #rest(): void {
    this.#disarm?.();
    this.#disarm = undefined;
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  #dropDead(): void {
    while (this.#heap[0] && !this.#heap[0].ring) {
      takeTop(this.#heap);
      this.#cancelled--;
    }
  }

  #ringDue(): void {
    this.#rest();
    const now = this.#now();
    const newest = this.#order;
    for (let top = this.#heap[0]; top && (!top.ring || top.due <= now); top = this.#heap[0]) {
      // A timer that was set during this loop waits for the next alarm: one that sets itself again must not block the
      // process.
      if (top.order >= newest) break;
      takeTop(this.#heap);
      const { ring } = top;
      if (!ring) this.#cancelled--;
      top.ring = undefined;
      ring?.();
    }
    this.#arm();
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

function rise(heap: Entry[], from: number): void {
  let at = from;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!swapIfBefore(heap, at, above)) return;
    at = above;
  }
}

function sink(heap: Entry[]): void {
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const right = left + 1;
    const [a, b] = [heap[left], heap[right]];
    if (!a) return;
    const child = b && before(b, a) ? right : left;
    if (!swapIfBefore(heap, child, at)) return;
    at = child;
  }
}

function swapIfBefore(heap: Entry[], lower: number, upper: number): boolean {
  const [a, b] = [heap[lower], heap[upper]];
  if (!a || !b || !before(a, b)) return false;
  heap[lower] = b;
  heap[upper] = a;
  return true;
}

function takeTop(heap: Entry[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  heap[0] = last;
  sink(heap);
}
