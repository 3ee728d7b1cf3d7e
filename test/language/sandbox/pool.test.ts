import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPool } from '../../../lib/language/sandbox/pool.ts';
import type { Thread } from '../../../lib/language/sandbox/thread.ts';
import type { EngineKind, Job, Reply } from '../../../lib/language/scripts/engine.ts';

/** A thread whose jobs end when the test ends them. */
class HeldThread implements Thread {
  isStarted = false;
  isAtWork = false;
  readonly loaded: EngineKind[] = [];
  #end: (reply: Reply) => void = () => undefined;

  start(kinds: readonly EngineKind[]): void {
    this.isStarted = true;
    this.loaded.push(...kinds);
  }

  run(): Promise<Reply> {
    this.isStarted = true;
    this.isAtWork = true;
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  end({ isSpent }: { readonly isSpent: boolean }): void {
    this.isStarted = !isSpent;
    this.isAtWork = false;
    this.#end({ results: [], isSpent });
  }

  async close(): Promise<void> {}
}

const jobOf = (kind: EngineKind): Job => ({ kind, sources: [''], data: '{}', deadlineMs: 1 });

function fourThreads() {
  const threads = Array.from({ length: 4 }, () => new HeldThread());
  return { threads, run: createPool(threads), started: () => threads.filter(({ isStarted }) => isStarted).length };
}

const LONG_MS = 200;

test('the jobs of one tenant start no thread that they do not need', async () => {
  const { threads, run, started } = fourThreads();
  const first = run({ id: 'a' }, jobOf('jq'));
  await delay(LONG_MS);
  expect(started()).toBe(1);
  threads.find(({ isStarted }) => isStarted)?.end({ isSpent: false });
  await first;
  void run({ id: 'a' }, jobOf('js'));
  await delay(0);
  expect(started()).toBe(1);
});

test('once tenants work side by side, another thread with all engines is ready while jobs take long', async () => {
  const { threads, run, started } = fourThreads();
  void run({ id: 'a' }, jobOf('schema'));
  void run({ id: 'b' }, jobOf('js'));
  await delay(0);
  expect(started()).toBe(2);
  await expect.poll(started).toBe(3);
  expect(threads.flatMap(({ loaded }) => loaded).sort()).toEqual(['js', 'schema']);
});

test('once tenants work side by side, a thread that has worked loads all engines', async () => {
  const { threads, run } = fourThreads();
  const first = run({ id: 'a' }, jobOf('jq'));
  void run({ id: 'b' }, jobOf('js'));
  await delay(0);
  threads.at(-1)?.end({ isSpent: false });
  await first;
  expect(threads.at(-1)?.loaded).toEqual(['jq', 'js']);
});

test('a spent thread is replaced at once when no other is ready', async () => {
  const { threads, run, started } = fourThreads();
  const spent = run({ id: 'a' }, jobOf('jq'));
  void run({ id: 'b' }, jobOf('js'));
  await delay(0);
  threads.at(-1)?.end({ isSpent: true });
  await spent;
  expect([started(), threads.at(-1)?.loaded]).toEqual([2, ['jq', 'js']]);
});

test('a tenant whose job spent its thread waits for the start of the next one, and the ready ones are left to others', async () => {
  const { threads, run } = fourThreads();
  const spent = run({ id: 'a' }, jobOf('js'));
  const short = run({ id: 'b' }, jobOf('js'));
  await delay(0);
  const [, , second, first] = threads;
  first?.end({ isSpent: true });
  second?.end({ isSpent: false });
  await Promise.all([spent, short]);
  const ready = threads.filter(({ isStarted }) => isStarted);
  for (const job of ['js', 'jq'] as const) void run({ id: 'a' }, jobOf(job));
  await delay(0);
  expect(ready.map(({ isAtWork }) => isAtWork)).toEqual(ready.map(() => false));
  void run({ id: 'b' }, jobOf('js'));
  await delay(0);
  expect(ready.some(({ isAtWork }) => isAtWork)).toBe(true);
});

test('a tenant whose last job ended in time uses the threads that are ready', async () => {
  const { threads, run, started } = fourThreads();
  const jobs = [run({ id: 'a' }, jobOf('js')), run({ id: 'b' }, jobOf('js'))];
  await delay(0);
  for (const thread of threads) if (thread.isAtWork) thread.end({ isSpent: false });
  await Promise.all(jobs);
  const before = started();
  void run({ id: 'a' }, jobOf('js'));
  await delay(0);
  expect(started()).toBe(before);
});
