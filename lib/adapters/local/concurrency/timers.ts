/** Rings once after so many milliseconds, unless the returned function is called first. */
export type Alarm = (milliseconds: number, ring: () => void) => () => void;

/** A timer of the heap; `cancel` makes it ring never. */
export interface Timer {
  cancel(): void;
}

interface Entry {
  readonly due: number;
  readonly order: number;
  ring: (() => void) | undefined;
}

// The wall clock may jump and a laptop may sleep, while setTimeout counts neither: so look again at least this often.
const LONGEST_SLEEP = 60_000;

/** The system's own alarm. */
export const systemAlarm: Alarm = (milliseconds, ring) => {
  const timeout = setTimeout(ring, milliseconds);
  return () => clearTimeout(timeout);
};

/**
 * Any number of timers on one alarm: a binary heap by due time, first come first served at equal times. A due time may
 * lie in the past or years ahead. Times are milliseconds since 1970.
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

  /** How many timers have still to ring. */
  get size(): number {
    return this.#heap.length - this.#cancelled;
  }

  /** Rings at the time `due`, never earlier and never within this call. */
  at(due: number, ring: () => void): Timer {
    // One for the past comes after those that are due already, so that a loop of them holds up no other.
    const entry: Entry = { due: Math.max(due, this.#now()), order: this.#order++, ring };
    this.#heap.push(entry);
    rise(this.#heap, this.#heap.length - 1);
    this.#arm();
    return { cancel: () => this.#cancel(entry) };
  }

  /** Nothing rings any more. */
  close(): void {
    this.#heap = [];
    this.#cancelled = 0;
    this.#rest();
  }

  #cancel(entry: Entry): void {
    if (!entry.ring) return;
    entry.ring = undefined;
    this.#cancelled++;
    // Cancelled entries leave when they reach the top; a heap that is mostly dead is rebuilt, so it cannot grow for ever.
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
    const wait = Math.min(Math.max(next.due - this.#now(), 0), LONGEST_SLEEP);
    this.#disarm = this.#alarm(wait, () => this.#ringDue());
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
      // One that was set while ringing waits for the next alarm, so that a ring that sets itself anew cannot lock the process.
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
