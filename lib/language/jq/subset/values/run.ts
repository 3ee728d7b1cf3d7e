import { UnknownOutcomeError } from './errors.ts';

/** Work allowed in one run, in values visited: about ten milliseconds. */
const MAX_STEPS = 300_000;

/** Characters that are processed in about the time of one value. */
const CHARACTERS_PER_STEP = 64;

// One run at a time: a program runs synchronously to its end, so its state needs no object of its own.
let steps = 0;

/** Resets the work counted. To be called before each run of a program. */
export function beginRun(): void {
  steps = 0;
}

/** Counts work in values visited. Throws UnknownOutcomeError when the run exceeds its limit. */
export function countSteps(count = 1): void {
  steps += count;
  if (steps > MAX_STEPS) throw new UnknownOutcomeError();
}

/** Counts the work of processing a string of so many characters. Throws as `countSteps` does. */
export function countCharacters(length: number): void {
  if (length >= CHARACTERS_PER_STEP) countSteps(Math.floor(length / CHARACTERS_PER_STEP));
}
