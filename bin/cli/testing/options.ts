import { UsageError } from '../shell/command.ts';
import type { Disturbances, EventDisturbance } from './embedded/disturbances.ts';

/** The values of the options of disturbances, as they were given. */
export interface DisturbanceValues {
  readonly crash?: string | undefined;
  readonly events?: string | undefined;
  readonly seed?: string | undefined;
}

const EVERY_STEP = 'every-step';
const EVENTS: readonly EventDisturbance[] = ['dup', 'reorder'];
const MAX_SEED = 2 ** 32 - 1;

const isDisturbance = (word: string): word is EventDisturbance => EVENTS.some((one) => one === word);

function eventsOf(text: string): readonly EventDisturbance[] {
  const words = text.split(',').map((word) => word.trim());
  const known = words.filter(isDisturbance);
  if (known.length === words.length) return known;
  throw new UsageError(`--events is '${text}'; it is a list of ${EVENTS.join(', ')}`);
}

/** The disturbances that the options ask for; undefined without any. Throws UsageError. */
export function disturbancesOf({ crash, events, seed = '1' }: DisturbanceValues): Disturbances | undefined {
  if (crash !== undefined && crash !== EVERY_STEP) throw new UsageError(`--crash is '${crash}'; it is ${EVERY_STEP}`);
  const number = Number(seed);
  if (!/^\d+$/.test(seed) || number > MAX_SEED) {
    throw new UsageError(`--seed is '${seed}'; it is a number from 0 to ${MAX_SEED}`);
  }
  if (crash === undefined && events === undefined) return undefined;
  return { crashes: crash !== undefined, events: events === undefined ? [] : eventsOf(events), seed: number };
}

/** Which cases are run, by a regular expression or a part of their names. Throws UsageError. */
export function filterOf(text: string | undefined): (name: string) => boolean {
  if (text === undefined) return () => true;
  try {
    const expression = new RegExp(text, 'i');
    return (name) => expression.test(name);
  } catch (error) {
    throw new UsageError(`--filter is no regular expression: ${error instanceof Error ? error.message : error}`);
  }
}

const DEFAULT_SECONDS = '10';
const MAX_SECONDS = 3600;

/** The option `--timeout` in milliseconds. Throws UsageError. */
export function patienceOf(text = DEFAULT_SECONDS): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= MAX_SECONDS) return seconds * 1000;
  throw new UsageError(`--timeout is '${text}'; it is a number of seconds from 1 to ${MAX_SECONDS}`);
}
