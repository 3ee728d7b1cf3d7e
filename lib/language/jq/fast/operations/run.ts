/** Only the real jq can tell: an error, or something whose outcome here is not certainly the same. */
export class UnknownOutcomeError extends Error {
  override readonly name: string = 'UnknownOutcomeError';
}

/**
 * jq certainly fails here. To a whole program that is as good as UnknownOutcomeError, since only jq has the words; `?`
 * catches it.
 */
export class JqError extends UnknownOutcomeError {
  override readonly name = 'JqError';
}

/** Texts and lists longer than this are left to jq, whose memory has a cap and whose time has an end. */
export const LONGEST_VALUE = 1_000_000;

/** What a run may take, in elements visited: some ten milliseconds. */
const MOST_STEPS = 300_000;

let steps = 0;
let built: WeakSet<object> | undefined;

/** Forgets the run before. Runs never overlap: a program runs to its end. */
export function beginRun(): void {
  steps = 0;
  built = undefined;
}

/** Counts the work done; throws UnknownOutcomeError where it is too much. */
export function spend(count = 1): void {
  steps += count;
  if (steps > MOST_STEPS) throw new UnknownOutcomeError();
}

/** Characters that are read together take as long as one element. */
const STRIDE = 64;

/** Counts the work of reading a text of so many characters. */
export function spendText(length: number): void {
  if (length >= STRIDE) spend(Math.floor(length / STRIDE));
}

/** Marks an object made in this run, whose keys jq keeps as they were set, while those of the data come sorted. */
export function markBuilt<T extends object>(object: T): T {
  built ??= new WeakSet();
  built.add(object);
  return object;
}

export function isBuilt(object: object): boolean {
  return built?.has(object) ?? false;
}
