import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { isStepResult, RetryError } from '../../lib/engine/tasks/results.ts';
import type { Happened, Meter } from '../../lib/ports/telemetry/meter.ts';

let written = '';
let happened: Happened[] = [];
const meter: Meter = { note: (one) => void happened.push(one) };

beforeEach(() => {
  written = '';
  happened = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += String(chunk);
      return true;
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
});

interface Call {
  readonly run: string;
}

const failing = (error: Error, about = async ({ run }: Call) => ({ instance: run, workflow: '/pay' })) =>
  withFaultLog(
    async (_: Call) => {
      throw error;
    },
    { about, isAnswer: isStepResult, meter: () => meter },
  );

describe('a handler without requests', () => {
  test('logs one line when it fails, with its context, its id and the error, and throws the error', async () => {
    await expect(failing(new TypeError('broken'))({ run: 'r1' }, { awsRequestId: 'n1' })).rejects.toThrow('broken');
    const lines = written.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'ERROR',
      message: 'a fault of the service',
      service: 'weft',
      instance: 'r1',
      workflow: '/pay',
      requestId: 'n1',
      error: { name: 'TypeError', message: 'broken' },
    });
    expect(happened).toEqual([{ Faults: 1 }]);
  });

  test('logs its line although nothing is known about its run', async () => {
    const unknown = failing(new TypeError('broken'), async () => {
      throw new Error('no database');
    });
    await expect(unknown({ run: 'r1' })).rejects.toThrow('broken');
    expect(JSON.parse(written)).toMatchObject({ message: 'a fault of the service', requestId: 'no number' });
  });

  test('logs nothing when it throws an outcome for a state machine', async () => {
    await expect(failing(new RetryError())({ run: 'r1' })).rejects.toThrow(RetryError);
    expect([written, happened]).toEqual(['', []]);
  });

  test('logs nothing when it succeeds', async () => {
    expect(await withFaultLog(async (n: number) => n + 1, { about: () => ({}), meter: () => meter })(1)).toBe(2);
    expect(written).toBe('');
  });
});
