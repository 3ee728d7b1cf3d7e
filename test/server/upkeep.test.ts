import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startService } from '../../bin/server/service.ts';
import { keepUp, startUpkeep, type UpkeepOptions } from '../../bin/server/upkeep/upkeep.ts';
import { databaseBlobs } from '../../lib/adapters/local/blobs.ts';
import { LocalDatabase } from '../../lib/adapters/local/database/database.ts';
import { databaseTable } from '../../lib/adapters/local/table/table.ts';
import { packageVersion } from '../../lib/adapters/portable/package.ts';
import type { Table } from '../../lib/ports/table.ts';
import { ScriptedContainers } from '../contract/scripted-containers.ts';
import { clientOf } from '../service/access/client.ts';

const DAY_MS = 86_400_000;
const LARGE = 100_000;

let folder: string;
let file: string;
let database: LocalDatabase;
let table: Table;
let options: UpkeepOptions;
let now: number;

function open(): void {
  database = new LocalDatabase({ file });
  const tables = databaseTable(database);
  ({ table } = tables);
  const blobs = databaseBlobs(database);
  options = { database, expire: tables.expire, removeBlobs: blobs.removeNow, clock: { now: () => now } };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-upkeep-'));
  file = join(folder, 'weft.db');
  now = Date.now();
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const keysIn = (rows: string): string[] => {
  const name = rows === 'blobs' ? 'key' : "pk || ' ' || sk";
  return database
    .statement(`SELECT ${name} AS key FROM "${rows}" ORDER BY 1`)
    .all()
    .map(({ key }) => String(key));
};
const countIn = (rows: string): number =>
  Number(database.statement(`SELECT count(*) AS n FROM "${rows}"`).get()?.['n']);
const beginningWith = (rows: string, ...beginnings: string[]): string[] =>
  keysIn(rows).filter((key) => beginnings.some((beginning) => key.startsWith(beginning)));

/** A run with large data, a long log and variables, and an event whose content is a blob. */
const WORKFLOW = `
start:
  type: event
  event: {type: large}
states:
- id: keep
  type: setter
  variables:
  - {key: large, scope: instance, value: 'jq(.large.data)'}
  - {key: small, scope: workflow, value: 'jq(1)'}
  log: 'jq(.large.data)'
  transition: rest
- id: rest
  type: noop
`;

/** Runs the workflow once in a service on the folder, which is closed then. */
async function runOnce(): Promise<void> {
  const settings = { port: 0, host: '127.0.0.1', data: folder, apiKey: 'key', brand: 'service' };
  const local = { ...settings, databaseEndpoint: undefined, version: packageVersion() };
  const service = await startService(local, {}, { containers: new ScriptedContainers() });
  const { call } = clientOf(service.url, service.key, async () => {});
  await call('PUT', '/api/namespaces/demo');
  await call('PUT', '/api/namespaces/demo/tree/w?op=create-workflow', { body: WORKFLOW });
  const event = { specversion: '1.0', type: 'large', source: 'test', id: 'one', data: { text: 'x'.repeat(LARGE) } };
  const headers = { 'Content-Type': 'application/cloudevents+json' };
  const answer = await call('POST', '/api/namespaces/demo/broadcast', { json: event, headers });
  expect(answer.status, answer.text).toBe(200);
  await service.idle();
  const list = (await call('GET', '/api/namespaces/demo/instances')).json();
  expect(list['instances']?.['results']).toMatchObject([{ status: 'complete' }]);
  await service.close();
}

describe('what a run and an event leave', () => {
  beforeEach(async () => {
    await runOnce();
    open();
  });

  test('stays as long as they are kept', async () => {
    const before = [keysIn('runs'), keysIn('journal'), keysIn('blobs')];
    now += 29 * DAY_MS;
    expect(await keepUp(options)).toEqual({ expired: 0, pages: 0 });
    expect([keysIn('runs'), keysIn('journal'), keysIn('blobs')]).toEqual(before);
    expect(beginningWith('blobs', 'runs/', 'events/', 'instances/').length).toBeGreaterThanOrEqual(3);
  });

  test('is removed with them: log, variables, index rows and blobs, and nothing that others need', async () => {
    const catalog = keysIn('catalog');
    now += 31 * DAY_MS;
    expect((await keepUp(options)).expired).toBeGreaterThan(3);
    expect(beginningWith('runs', 'run#', 'variables#instance#')).toEqual([]);
    expect(beginningWith('journal', 'log#', 'events#', 'event-id#')).toEqual([]);
    expect(beginningWith('blobs', 'runs/', 'events/', 'instances/')).toEqual([]);
    expect([countIn('runs.by-namespace'), countIn('runs.by-end'), countIn('journal.by-time')]).toEqual([1, 0, 0]);
    expect(beginningWith('runs', 'listeners#')).toHaveLength(1);
    expect(keysIn('catalog')).toEqual(catalog);
    expect((await keepUp(options)).expired).toBe(0);
  });
});

describe('the rows of a long log', () => {
  const LINES = 7;
  beforeEach(async () => {
    open();
    await table.write([{ do: 'put', table: 'runs', item: { pk: 'run#a', sk: '.', ttl: 1 } }]);
    for (let line = 0; line < LINES; line += 1) {
      await table.write([{ do: 'put', table: 'journal', item: { pk: 'log#a', sk: String(line) } }]);
    }
  });

  test('are removed in several transactions, and the run with the last of them', () => {
    const counts: number[][] = [];
    const belongingsOf = () => ({ partitions: [{ table: 'journal', pk: 'log#a' } as const], remove: () => undefined });
    while ((options.expire?.(now, 3, belongingsOf) ?? 0) > 0) counts.push([countIn('journal'), countIn('runs')]);
    expect(counts).toEqual([
      [4, 1],
      [1, 1],
      [0, 0],
    ]);
  });

  test('are removed once a minute while the service runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const stop = startUpkeep(options);
      vi.advanceTimersByTime(59_000);
      await stop();
      expect(countIn('runs')).toBe(1);
      const stopLater = startUpkeep(options);
      vi.advanceTimersByTime(60_000);
      await stopLater();
      expect([countIn('runs'), countIn('journal')]).toEqual([0, 0]);
    } finally {
      vi.useRealTimers();
    }
  });
});

test('the file becomes smaller when most of it is free, and keeps room for the next writes', async () => {
  open();
  const text = 'x'.repeat(50_000);
  for (let n = 0; n < 800; n += 1) {
    await table.write([{ do: 'put', table: 'runs', item: { pk: `run#${n}`, sk: '.', text, ttl: n < 700 ? 1 : 9e9 } }]);
  }
  await database.close();
  const before = statSync(file).size;
  open();
  const { expired, pages } = await keepUp(options);
  expect(expired).toBe(700);
  expect(pages).toBeGreaterThan(5000);
  expect((await keepUp(options)).pages).toBe(0);
  await database.close();
  expect(statSync(file).size).toBeLessThan(before / 2);
  open();
  expect(database.statement('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect((await table.get([{ table: 'runs', pk: 'run#750', sk: '.' }]))[0]?.['text']).toBe(text);
});
