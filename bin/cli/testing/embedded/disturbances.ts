import { baselineOf, type Harm, harmsIn, mergedHarms } from '../../../../lib/testing/harm.ts';
import type { PreparedCase } from '../../../../lib/testing/prepared.ts';
import { type CaseRun, runCase, type Variation } from './case.ts';

/** The disturbances of the events of a case. */
export type EventDisturbance = 'dup' | 'reorder';

/** How cases are disturbed. */
export interface Disturbances {
  /** A crash after every durable operation. */
  readonly crashes: boolean;
  readonly events: readonly EventDisturbance[];
  readonly seed: number;
}

/** The harm that disturbances did to a case, and how many crashes were tried. */
export interface Disturbed {
  readonly harms: readonly Harm[];
  readonly crashes: number;
}

/** A day and an hour: values that depend on the time or the date differ. */
const LATER_MS = 25 * 3_600_000;
/** A case with more operations is tried at this many of them, spread evenly. */
const MAX_CRASHES = 500;

/** Numbers of [0, 1), always the same for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Changes the order, if there is another one. */
function shuffled<T>(all: readonly T[], random: () => number): readonly T[] {
  const mixed = [...all];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  const isSame = mixed.every((one, index) => one === all[index]);
  return isSame ? [...all].reverse() : mixed;
}

/** The disturbances of the events of a case: the cause in a report, and the variation of the case. */
const EVENTS: Readonly<Record<EventDisturbance, { cause: string; variation: (seed: number) => Variation }>> = {
  dup: { cause: 'every event was delivered twice', variation: () => ({ repeatsEvents: true }) },
  reorder: {
    cause: 'events of the same time came in another order',
    variation: (seed) => ({ shuffle: (events) => shuffled(events, randomOf(seed)) }),
  },
};

function* crashPoints(operations: number): Generator<number> {
  const count = Math.min(operations, MAX_CRASHES);
  for (let index = 0; index < count; index += 1) yield 1 + Math.floor((index * operations) / count);
}

/**
 * Runs a case again with each disturbance, and returns the harm that they did, compared with the undisturbed case. Crashes
 * are tried with the disturbed events, if those alone do no harm.
 */
export async function disturb(
  prepared: PreparedCase,
  plain: CaseRun,
  { crashes, events, seed }: Disturbances,
  patience: number,
): Promise<Disturbed> {
  const again = await runCase(prepared, { later: LATER_MS }, patience);
  const baseline = baselineOf(plain.observation, again.observation);
  const found: Harm[] = [];
  let common: Variation = {};
  for (const name of events) {
    const { cause, variation } = EVENTS[name];
    const { observation } = await runCase(prepared, variation(seed), patience);
    const harms = harmsIn(baseline, observation, cause);
    found.push(...harms);
    if (harms.length === 0) common = { ...common, ...variation(seed) };
  }
  if (!crashes) return { harms: mergedHarms(found), crashes: 0 };
  const { operations } = await runCase(prepared, common, patience);
  let tried = 0;
  for (const crashAt of crashPoints(operations)) {
    const { observation, crashedAfter = '' } = await runCase(prepared, { ...common, crashAt }, patience);
    found.push(...harmsIn(baseline, observation, `a crash ${crashedAfter}`));
    tried += 1;
  }
  return { harms: mergedHarms(found), crashes: tried };
}
