import { describe, expect, test } from 'vitest';
import { onConflict, retryOnConflict } from '../../../lib/domain/storage/conflicts.ts';
import { ConflictError } from '../../../lib/ports/table.ts';

const conflict = new ConflictError([0]);
const fault = new Error('the table cannot be reached');

/** An attempt that throws the errors one after the other, and then returns its number. */
function attemptAfter(...errors: readonly Error[]) {
  const numbers: number[] = [];
  const attempt = async (number: number): Promise<number> => {
    numbers.push(number);
    const error = errors[number - 1];
    if (error !== undefined) throw error;
    return number;
  };
  return { numbers, attempt };
}

describe('retryOnConflict', () => {
  test('returns the result of the first attempt whose write succeeds', async () => {
    const { numbers, attempt } = attemptAfter(conflict, conflict);
    expect(await retryOnConflict(attempt)).toBe(3);
    expect(numbers).toEqual([1, 2, 3]);
  });

  test('throws another error at once', async () => {
    const { numbers, attempt } = attemptAfter(conflict, fault);
    await expect(retryOnConflict(attempt)).rejects.toBe(fault);
    expect(numbers).toEqual([1, 2]);
  });

  test('throws the last conflict when the attempts are exhausted', async () => {
    const { numbers, attempt } = attemptAfter(new ConflictError([1]), conflict, new ConflictError([2]));
    await expect(retryOnConflict(attempt, 2)).rejects.toBe(conflict);
    expect(numbers).toEqual([1, 2]);
  });
});

describe('onConflict', () => {
  test('returns the result of work that succeeds', async () => {
    expect(await onConflict(Promise.resolve('written'), () => 'handled')).toBe('written');
  });

  test('returns what the handler makes of a conflict', async () => {
    const failed = (error: ConflictError) => error.failed;
    expect(await onConflict(Promise.reject(new ConflictError([3])), failed)).toEqual([3]);
  });

  test('throws the error that the handler throws', async () => {
    const handle = () => {
      throw fault;
    };
    await expect(onConflict(Promise.reject(conflict), handle)).rejects.toBe(fault);
  });

  test('throws every other error as it is', async () => {
    await expect(onConflict(Promise.reject(fault), () => 'handled')).rejects.toBe(fault);
  });
});
