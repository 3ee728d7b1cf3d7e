import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stopper } from '../../../bin/server/stopping.ts';

let codes: number[];
const exit = (code: number): void => void codes.push(code);

beforeEach(() => {
  codes = [];
  vi.useFakeTimers();
  vi.spyOn(console, 'error').mockReturnValue();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('SIGTERM ends the process', () => {
  test('when the service is closed', async () => {
    await stopper({ close: async () => {}, exit, patience: 9000 })();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(codes).toEqual([0]);
  });

  test('although the service does not close', async () => {
    void stopper({ close: () => new Promise(() => {}), exit, patience: 9000 })();
    await vi.advanceTimersByTimeAsync(8_999);
    expect(codes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(codes).toEqual([1]);
  });

  test('although the service fails to close', async () => {
    await stopper({ close: () => Promise.reject(new Error('no disk')), exit, patience: 9000 })();
    expect(codes).toEqual([1]);
  });
});
