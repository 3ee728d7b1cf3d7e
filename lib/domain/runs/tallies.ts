import { parseJson } from '../../language/json-numbers.ts';
/** The metrics of a run in one state: milliseconds, retries of calls, and the number of transitions to each state. */
export type StateTally = readonly [
  state: string,
  ms: number,
  retries: number,
  to: readonly (readonly [state: string, times: number])[],
];

/** The metrics of a run by state. Undefined: there were too many states, and only the run as a whole is counted. */
export type RunTally = readonly StateTally[] | undefined;

/** The maximum size of the names in a tally, bytes: the item of a run and its row in the index by end contain it. */
const MAX_BYTES = 6 * 1024;
/** The bytes of JSON around a name. */
const FRAME_BYTES = 12;

interface Visits {
  ms: number;
  retries: number;
  readonly to: Map<string, number>;
}

/** Collects the metrics of a run by state while it runs. */
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

  /** Adds the milliseconds in a state, and the retries of its calls. */
  add(state: string, ms: number, retries = 0): void {
    if (this.bytes > MAX_BYTES) return;
    const visits = this.of(state);
    visits.ms += ms;
    visits.retries += retries;
  }

  /** Adds transitions from a state to another. */
  addTransition(state: string, next: string, times = 1): void {
    if (this.bytes > MAX_BYTES) return;
    const { to } = this.of(state);
    const before = to.get(next);
    if (before === undefined) this.take(next);
    to.set(next, (before ?? 0) + times);
  }

  /** How often the run went from a state to another; empty where there are too many to be counted. */
  get transitions(): { readonly from: string; readonly to: string; readonly times: number }[] {
    return (this.stored ?? []).flatMap(([from, , , all]) => all.map(([to, times]) => ({ from, to, times })));
  }

  /** The tally as it is stored with the run. */
  get stored(): RunTally {
    if (this.bytes > MAX_BYTES) return undefined;
    return Array.from(this.visits, ([state, { ms, retries, to }]): StateTally => [state, ms, retries, [...to]]);
  }
}

type To = StateTally[3];

/** The transitions that most states have: one to the state that follows in the tally; none from the last one. */
const usualTo = (tally: readonly StateTally[], index: number): To => {
  const next = tally[index + 1];
  return next === undefined ? [] : [[next[0], 1]];
};

/** Returns a tally as JSON text without the default values: that of a chain of states is a list of their names. */
export function toText(tally: readonly StateTally[]): string {
  const short = tally.map(([state, ms, retries, to], index) => {
    if (JSON.stringify(to) !== JSON.stringify(usualTo(tally, index))) return [state, ms, retries, to];
    if (retries > 0) return [state, ms, retries];
    return ms > 0 ? [state, ms] : state;
  });
  return JSON.stringify(short);
}

/** The inverse of `toText`. */
export function fromText(text: string): readonly StateTally[] {
  const short = parseJson(text) as readonly (string | readonly [string, number?, number?, To?])[];
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
