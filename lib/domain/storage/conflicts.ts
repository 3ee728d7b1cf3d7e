import { ConflictError } from '../../ports/table.ts';

/**
 * Repeats a read-modify-write until its conditional write succeeds (optimistic locking). `attempt` is called with the
 * number of the attempt, from 1; it reads the items again on each call, and may use an item read before on the first.
 * It is repeated at once, only after a `ConflictError`; every other error is thrown. After `maxAttempts` (default: no
 * limit) the last `ConflictError` is thrown. Returns the result of the successful attempt.
 */
export async function retryOnConflict<T>(
  attempt: (number: number) => Promise<T>,
  maxAttempts = Number.POSITIVE_INFINITY,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      if (!(error instanceof ConflictError) || number >= maxAttempts) throw error;
    }
  }
}

/**
 * Returns the result of `work` or, if it rejects with a `ConflictError`, the result of `handle`, which may also throw.
 * Every other error is thrown as it is.
 */
export async function onConflict<T, R>(
  work: Promise<T>,
  handle: (conflict: ConflictError) => R | Promise<R>,
): Promise<T | R> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    return handle(error);
  }
}

/** Throws the error of `toError` if `work` rejects with a `ConflictError`. */
export const throwOnConflict = <T>(work: Promise<T>, toError: (conflict: ConflictError) => Error): Promise<T> =>
  onConflict(work, (conflict): never => {
    throw toError(conflict);
  });

/** Waits for a write that is obsolete if it rejects with a `ConflictError`. */
export const ignoreConflict = (work: Promise<void>): Promise<void> => onConflict(work, () => {});
