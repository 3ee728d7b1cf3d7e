import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import { ExecutionsJournal } from '../../../../lib/adapters/local/executions/journal.ts';
import { executionOf } from '../../../../lib/adapters/local/executions/revival.ts';
import type { Execution } from '../../../../lib/adapters/local/interpreter/context/thread.ts';

const DAY_MS = 86_400_000;

let now: number;
let database: LocalDatabase;
let journal: ExecutionsJournal;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  now = Date.UTC(2026, 10, 21);
  database = new LocalDatabase({ file: ':memory:' });
  journal = new ExecutionsJournal(database, { count: 100, time: DAY_MS, now: () => now });
});
afterEach(async () => {
  journal.close();
  await database.close();
  vi.useRealTimers();
});

function execution(id: number, fields: Partial<Execution> = {}): Execution {
  const row = { id, machine: 'm', name: `run-${id}`, handle: 'm:1', input: '{}', started: now, deadline: null };
  const nothing = { ended: null, status: null, output: null, error: null, cause: null };
  return { ...executionOf({ ...row, ...nothing }, 'STANDARD'), stored: false, ...fields };
}

function ended(id: number): Execution {
  return execution(id, { ended: now, outcome: { status: 'SUCCEEDED', output: '1' } });
}

test('changes of one turn are stored in one transaction, which is retried when it fails', async () => {
  journal.note(execution(1));
  // A fraction does not fit the column.
  const faulty = { ...execution(2), started: 0.5 };
  journal.note(faulty);
  await expect(journal.stored()).rejects.toThrow();
  expect(journal.find('m', 'run-1')).toBeUndefined();
  faulty.started = now;
  const stored = journal.stored();
  await vi.advanceTimersByTimeAsync(1000);
  await stored;
  expect(journal.unfinished()).toMatchObject([{ id: 1 }, { id: 2 }]);
});

test('an execution that ended more than a day ago is deleted when a later one ends', async () => {
  journal.note(ended(1));
  journal.note(execution(2));
  await journal.stored();
  now += DAY_MS + 1;
  journal.note(ended(3));
  await journal.stored();
  expect(journal.find('m', 'run-1')).toBeUndefined();
  expect(journal.find('m', 'run-2')).toMatchObject({ ended: null });
  expect(journal.find('m', 'run-3')).toMatchObject({ status: 'SUCCEEDED', output: '1' });
});
