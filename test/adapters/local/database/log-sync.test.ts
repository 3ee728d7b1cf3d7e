import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LogSync } from '../../../../lib/adapters/local/database/log-sync.ts';

let flushes: PromiseWithResolvers<void>[];
let failures: Error[];
let isClosed: boolean;
let log: LogSync;
let onFlushed: () => void;

beforeEach(() => {
  [flushes, failures, isClosed] = [[], [], false];
  const flush = () => {
    const one = Promise.withResolvers<void>();
    flushes.push(one);
    return one.promise;
  };
  const close = () => {
    isClosed = true;
  };
  onFlushed = () => undefined;
  log = new LogSync({ flush: { flush, close } }, (error) => void failures.push(error));
  log.onFlushed = () => onFlushed();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Resolves with the present state of a promise. */
async function stateOf(promise: Promise<void>): Promise<string> {
  const settled = promise.then(
    () => 'durable',
    (error: Error) => error.message,
  );
  return Promise.race([settled, turn().then(() => 'waits')]);
}

test('one flush makes all earlier commits durable, and commits during a flush share the next', async () => {
  const first = log.wait(1, true);
  log.commit();
  log.commit();
  const second = log.wait(2, true);
  log.commit();
  const third = log.wait(3, true);
  expect(flushes).toHaveLength(1);
  flushes[0]?.resolve();
  expect([await stateOf(first), await stateOf(second), await stateOf(third)]).toEqual(['durable', 'waits', 'waits']);
  expect(flushes).toHaveLength(2);
  flushes[1]?.resolve();
  expect([await stateOf(second), await stateOf(third)]).toEqual(['durable', 'durable']);
  expect(flushes).toHaveLength(2);
});

test('a commit at the end of a flush is on the disk after the next flush, which begins at once', async () => {
  const first = log.wait(1, true);
  log.commit();
  const second = log.wait(2, true);
  expect(log.isFlushing).toBe(true);
  onFlushed = () => {
    onFlushed = () => undefined;
    log.commit();
  };
  flushes[0]?.resolve();
  expect([await stateOf(first), await stateOf(second)]).toEqual(['durable', 'waits']);
  expect([flushes.length, log.isFlushing]).toEqual([2, true]);
  flushes[1]?.resolve();
  expect(await stateOf(second)).toBe('durable');
  expect(log.isFlushing).toBe(false);
});

test('a commit without a waiter is flushed a little later', async () => {
  vi.useFakeTimers();
  log.commit();
  expect(flushes).toHaveLength(0);
  vi.advanceTimersByTime(100);
  expect(flushes).toHaveLength(1);
  flushes[0]?.resolve();
  await flushes[0]?.promise;
  expect(log.isDurable(1)).toBe(true);
});

test('a wait for a change that is not committed yet is flushed after the commit', async () => {
  const waiting = log.wait(1, true);
  expect(flushes).toHaveLength(0);
  log.commit();
  expect(flushes).toHaveLength(1);
  flushes[0]?.resolve();
  expect(await stateOf(waiting)).toBe('durable');
});

test('an outage rejects the waiters that are not patient, and no others', async () => {
  const [hasty, patient] = [log.wait(1, false), log.wait(1, true)];
  log.fail(new Error('full'));
  expect([await stateOf(hasty), await stateOf(patient)]).toEqual(['full', 'waits']);
  log.commit();
  flushes[0]?.resolve();
  expect(await stateOf(patient)).toBe('durable');
});

test('a failed flush is reported, and makes nothing durable', async () => {
  const waiting = log.wait(1, true);
  log.commit();
  flushes[0]?.reject(new Error('EIO'));
  expect(await stateOf(waiting)).toBe('waits');
  expect(failures.map(({ message }) => message)).toEqual(['EIO']);
});

test('closing flushes all commits before it releases the log', async () => {
  log.commit();
  const closing = log.close();
  expect([flushes.length, isClosed]).toEqual([1, false]);
  flushes[0]?.resolve();
  await closing;
  expect(isClosed).toBe(true);
});

test('without a flush a commit is durable at once', async () => {
  const bare = new LogSync({}, () => undefined);
  const waiting = bare.wait(1, true);
  bare.commit();
  expect([await stateOf(waiting), bare.isDurable(1)]).toEqual(['durable', true]);
  await bare.close();
});
