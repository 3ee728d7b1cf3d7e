/** What a run did in one of its states: milliseconds spent there, calls repeated, and how often it went on whereto. */
export type StateTally = readonly [
  state: string,
  ms: number,
  retries: number,
  to: readonly (readonly [state: string, times: number])[],
];

/** What a run did, state by state. Undefined: it grew too long, and the run counts only as a whole. */
export type RunTally = readonly StateTally[] | undefined;

/** The names in a tally are at most so many bytes: it is part of the run's item, and of its row in the index by end. */
const MOST_BYTES = 6 * 1024;
/** What a name costs besides itself. */
const FRAME_BYTES = 12;

interface Visits {
  ms: number;
  retries: number;
  readonly to: Map<string, number>;
}

/** Counts what a run does in its states, as it goes. */
export class Tally {
  private readonly visits = new Map<string, Visits>();
  private bytes = 0;

  constructor(before: RunTally) {
    if (before === undefined) this.bytes = Number.POSITIVE_INFINITY;
    for (const [state, ms, retries, to] of before ?? []) {
      this.add(state, ms, retries);
      for (const [next, times] of to) this.addTransition(state, next, times);
    }
  }

  private take(name: string): void {
    this.bytes += Buffer.byteLength(name) + FRAME_BYTES;
  }

  private of(state: string): Visits {
    const known = this.visits.get(state);
    if (known !== undefined) return known;
    this.take(state);
    const visits = { ms: 0, retries: 0, to: new Map<string, number>() };
    this.visits.set(state, visits);
    return visits;
  }

  /** Time spent in a state, milliseconds, and calls that it repeated. */
  add(state: string, ms: number, retries = 0): void {
    if (this.bytes > MOST_BYTES) return;
    const visits = this.of(state);
    visits.ms += ms;
    visits.retries += retries;
  }

  addTransition(state: string, next: string, times = 1): void {
    if (this.bytes > MOST_BYTES) return;
    const { to } = this.of(state);
    const before = to.get(next);
    if (before === undefined) this.take(next);
    to.set(next, (before ?? 0) + times);
  }

  /** What is stored with the run. */
  get stored(): RunTally {
    if (this.bytes > MOST_BYTES) return undefined;
    return Array.from(this.visits, ([state, { ms, retries, to }]): StateTally => [state, ms, retries, [...to]]);
  }
}

type To = StateTally[3];

/** Where a state leads that was entered once and left for the one that is noted next, as most are; to the end, if none. */
const usualTo = (tally: readonly StateTally[], index: number): To => {
  const next = tally[index + 1];
  return next === undefined ? [] : [[next[0], 1]];
};

/** A tally as text. What is as usual is left out: a chain of states is hardly more than their names. */
export function toText(tally: readonly StateTally[]): string {
  const short = tally.map(([state, ms, retries, to], index) => {
    if (JSON.stringify(to) !== JSON.stringify(usualTo(tally, index))) return [state, ms, retries, to];
    if (retries > 0) return [state, ms, retries];
    return ms > 0 ? [state, ms] : state;
  });
  return JSON.stringify(short);
}

/** The tally of a text that `toText` made. */
export function fromText(text: string): readonly StateTally[] {
  const short = JSON.parse(text) as readonly (string | readonly [string, number?, number?, To?])[];
  const tally = short.map((one): StateTally => {
    const [state, ms = 0, retries = 0] = typeof one === 'string' ? [one] : one;
    return [state, ms, retries, []];
  });
  return tally.map((known, index): StateTally => {
    const one = short[index];
    const to = typeof one === 'string' ? undefined : one?.[3];
    return [known[0], known[1], known[2], to ?? usualTo(tally, index)];
  });
}
