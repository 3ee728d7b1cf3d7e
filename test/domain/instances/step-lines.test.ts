import { expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { linesOfStep } from '../../../lib/domain/instances/step-lines.ts';
import type { LogLine } from '../../../lib/domain/runs/run.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';

const MS = 1_700_000_000_000;
const lineAt = (ms: number, text: string, state?: string): LogLine => ({
  t: (MS + ms) * 1000,
  level: 'info',
  text,
  ...(state === undefined ? {} : { state }),
});

/** The texts of the lines of a visit of the state `a` from one millisecond to another, in a log. */
async function linesOf(tail: readonly LogLine[], entered: number, left?: number) {
  const database = await openLocalTable();
  const run = { id: 'x', tail, flushed: 0 } as unknown as Run;
  const step = { state: 'a', entered: MS + entered, ...(left === undefined ? {} : { left: MS + left }) };
  const { lines, more } = await linesOfStep({ table: database.table, blobs: memoryBlobs() }, run, step);
  await database.close();
  return { texts: lines.map(({ msg }) => msg), more };
}

test('the lines of a visit are those of its state between its entry and its end', async () => {
  const log = [
    lineAt(0, 'of the run'),
    lineAt(1, 'first', 'a'),
    lineAt(2, 'of another state', 'b'),
    lineAt(3, 'second', 'a'),
    lineAt(4, 'of the next visit', 'a'),
  ];
  expect(await linesOf(log, 1, 3)).toEqual({ texts: ['first', 'second'], more: undefined });
  expect(await linesOf(log, 4)).toEqual({ texts: ['of the next visit'], more: undefined });
});

test('at most 200 lines are returned, and that there are more', async () => {
  const log = Array.from({ length: 250 }, (_, n) => lineAt(1, `line ${n}`, 'a'));
  const { texts, more } = await linesOf(log, 1, 1);
  expect([texts.length, texts.at(-1), more]).toEqual([200, 'line 199', true]);
  expect((await linesOf(log.slice(0, 200), 1, 1)).more).toBeUndefined();
});
