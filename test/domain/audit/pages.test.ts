import { beforeEach, describe, expect, test } from 'vitest';
import { type AuditedRequest, record } from '../../../lib/domain/audit/entries.ts';
import { type AuditRequest, list } from '../../../lib/domain/audit/pages.ts';
import { DAY_MS } from '../../../lib/time/units.ts';
import { MemoryTable } from '../../contract/memory-table.ts';

const NOON = Date.UTC(2026, 0, 15, 12);

let table: MemoryTable;
let now: number;
let ids: number;
let retentionDays: number;

beforeEach(() => {
  [table, now, ids, retentionDays] = [new MemoryTable(), NOON, 0, 20];
});

const ports = () => {
  const uuid = () => `0197b0c6-8f1e-7a64-9f0b-${String(++ids).padStart(12, '0')}`;
  const settings = { brand: 'service', version: 'v0', audit: { retentionDays } };
  return { table, clock: { now: () => now, uuid, secret: () => 'secret' }, settings };
};

const REQUEST: AuditedRequest = {
  actor: 'deployment',
  key: 'k1',
  action: 'createNamespace',
  namespace: 'shop',
  target: { namespace: 'shop' },
  outcome: 'done',
  status: 200,
  address: '127.0.0.1',
  forwardedFor: '',
  client: 'test',
};

/** Records a request at a time, with the time as its client. */
async function recordAt(ms: number, changes: Partial<AuditedRequest> = {}): Promise<void> {
  now = ms;
  await record(ports(), { ...REQUEST, client: String(ms), ...changes });
  now = NOON;
}

/** The times of all pages of a request, page by page. */
async function pagesOf(request: Partial<AuditRequest> = {}): Promise<number[][]> {
  const pages: number[][] = [];
  let cursor: string | undefined;
  do {
    const page = await list(ports(), { limit: 100, ...request, cursor });
    pages.push(page.entries.map(({ client }) => Number(client)));
    cursor = page.next;
  } while (cursor !== undefined);
  return pages;
}

describe('the audit log', () => {
  test('returns an entry as it was recorded, with its time', async () => {
    await record(ports(), REQUEST);
    const { entries } = await list(ports(), { limit: 10 });
    expect(entries).toEqual([{ ...REQUEST, id: expect.any(String), time: '2026-01-15T12:00:00Z' }]);
  });

  test('is ordered by time, the newest entry first, over all its partitions and days', async () => {
    const times = Array.from({ length: 60 }, (_, index) => NOON - index * 3_600_000);
    for (const time of times.toSorted(() => 1)) await recordAt(time);
    expect(await pagesOf()).toEqual([times]);
  });

  test('is read in pages, each entry once, also those of the same millisecond', async () => {
    for (let index = 0; index < 25; index += 1) await recordAt(NOON - Math.floor(index / 10));
    const pages = await pagesOf({ limit: 7 });
    expect(pages.map(({ length }) => length)).toEqual([7, 7, 7, 4]);
    expect(pages.flat()).toEqual(Array.from({ length: 25 }, (_, index) => NOON - Math.floor(index / 10)));
  });

  test('is filtered by namespace, by the name or the id of a key, and by time', async () => {
    await recordAt(NOON - 1);
    await recordAt(NOON - 2, { namespace: 'other' });
    await recordAt(NOON - 3, { actor: 'admin', key: 'k2' });
    expect(await pagesOf({ namespace: 'other' })).toEqual([[NOON - 2]]);
    expect(await pagesOf({ actor: 'admin' })).toEqual([[NOON - 3]]);
    expect(await pagesOf({ actor: 'k1' })).toEqual([[NOON - 1, NOON - 2]]);
    expect(await pagesOf({ from: NOON - 2, to: NOON - 2 })).toEqual([[NOON - 2]]);
    expect(await pagesOf({ from: NOON + DAY_MS })).toEqual([[]]);
  });

  test('visits a bounded number of days a page', async () => {
    retentionDays = 40;
    await recordAt(NOON - 35 * DAY_MS);
    expect(await pagesOf()).toEqual([[], [NOON - 35 * DAY_MS]]);
  });

  test('ends where the retention ends', async () => {
    await recordAt(NOON - 19 * DAY_MS);
    await recordAt(NOON - 21 * DAY_MS);
    expect((await pagesOf()).flat()).toEqual([NOON - 19 * DAY_MS]);
  });

  test('cuts the long texts of clients', async () => {
    await record(ports(), { ...REQUEST, target: { node: 'x'.repeat(1000) }, client: 'y'.repeat(1000) });
    const { entries } = await list(ports(), { limit: 1 });
    expect([entries[0]?.target['node']?.length, entries[0]?.client.length]).toEqual([300, 300]);
  });

  test('rejects a cursor that it did not return', async () => {
    await expect(list(ports(), { limit: 1, cursor: 'x' })).rejects.toThrow("cursor is 'x'; send the 'next'");
  });
});
