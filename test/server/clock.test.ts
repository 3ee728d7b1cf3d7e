import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Service, startService } from '../../bin/server/service.ts';
import { ScriptedContainers } from '../contract/scripted-containers.ts';
import { type Client, clientOf } from '../service/access/client.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const { now } = Date;

const WORKFLOWS = {
  plain: 'states:\n- {id: a, type: noop}\n',
  often: "start: {type: scheduled, cron: '@every 1s'}\nstates:\n- {id: a, type: noop}\n",
};

let folder: string;
let service: Service;
let client: Client;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-clock-'));
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Starts the service on the folder, with a clock of the system that is ahead. */
async function start(aheadMs: number): Promise<void> {
  vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
  const settings = { port: 0, host: '127.0.0.1', data: folder, apiKey: 'a-key-for-the-tests', brand: 'service' };
  const options = { databaseEndpoint: undefined, version: 'v0' };
  service = await startService({ ...settings, ...options }, {}, { containers: new ScriptedContainers() });
  client = clientOf(service.url, service.key, async () => {});
}

const call = async (method: string, path: string, body?: string) => {
  const reply = await client.call(method, `/api/namespaces/demo${path}`, body === undefined ? {} : { body });
  expect(reply.status, reply.text).toBe(200);
  return reply;
};

interface Row {
  readonly id: string;
  readonly createdAt: string;
  readonly as: string;
}

const runs = async (): Promise<readonly Row[]> =>
  (await call('GET', '/instances?limit=1000')).json()['instances']?.['results'] as unknown as readonly Row[];

const ticks = async (): Promise<number> => (await runs()).filter(({ as }) => as.includes('often')).length;

/** The times that the service keeps: of runs, of schedules, high-water marks and cursors. */
async function newestTimes(): Promise<readonly number[]> {
  const created = (await runs()).map(({ createdAt }) => Date.parse(createdAt));
  const database = new DatabaseSync(join(folder, 'weft.db'), { readOnly: true });
  const told = database.prepare('SELECT told FROM schedules').all();
  database.close();
  return [...created, ...told.map((row) => Number(row['told']))];
}

test('a clock that is three days ahead during a start leaves no time in the future, and silences nothing', async () => {
  await start(0);
  await call('PUT', '');
  for (const [name, body] of Object.entries(WORKFLOWS)) await call('PUT', `/tree/${name}?op=create-workflow`, body);
  await service.close();
  await start(3 * DAY_MS);
  await call('POST', '/tree/plain?op=wait', '{}');
  await expect.poll(ticks, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(Math.max(...(await newestTimes()))).toBeLessThanOrEqual(now() + 1000);
  await service.close();
  await start(0);
  const before = await ticks();
  await call('POST', '/tree/plain?op=wait', '{}');
  await expect.poll(ticks, { timeout: 10_000 }).toBeGreaterThan(before);
  expect((await runs()).filter(({ as }) => as.includes('plain'))).toHaveLength(2);
  expect(Math.max(...(await newestTimes()))).toBeLessThanOrEqual(now() + 1000);
});

test('of the hours in which the service did not run, missed: all starts each, latest the newest, and none logs it', async () => {
  const read = 'states:\n- {id: a, type: getter, variables: [{key: scheduled, scope: system}], transform: jq(.var)}\n';
  await start(0);
  await call('PUT', '');
  const stopped = now() - 3 * HOUR_MS;
  // The planned times are half an hour from now.
  const minute = (new Date(stopped).getUTCMinutes() + 30) % 60;
  for (const missed of ['all', 'latest', 'none']) {
    const body = `start: {type: scheduled, cron: '${minute} * * * *', missed: ${missed}}\n${read}`;
    await call('PUT', `/tree/${missed}?op=create-workflow`, body);
  }
  await service.close();
  const database = new DatabaseSync(join(folder, 'weft.db'));
  expect(database.prepare('UPDATE schedules SET told = ?').run(stopped).changes).toBe(3);
  database.close();
  await start(0);
  const first = Math.ceil(stopped / HOUR_MS - minute / 60) * HOUR_MS + minute * 60_000;
  const planned = [0, 1, 2].map((hours) => new Date(first + hours * HOUR_MS).toISOString().replace('.000Z', 'Z'));
  const startedBy = async (name: string) => {
    const ids = (await runs()).filter(({ as }) => as.includes(name)).map(({ id }) => id);
    const outputs = await Promise.all(ids.map((id) => call('GET', `/instances/${id}/output`)));
    return outputs.map((reply) => JSON.parse(atob(String(reply.json()['data'])))['scheduled']).toSorted();
  };
  await expect.poll(() => startedBy('all'), { timeout: 10_000 }).toEqual(planned);
  await expect.poll(() => startedBy('latest'), { timeout: 10_000 }).toEqual(planned.slice(-1));
  const log = async () => (await call('GET', '/tree/none?op=logs')).text;
  await expect.poll(log, { timeout: 10_000 }).toContain(`Did not start for the planned time ${planned.at(-1)}`);
  expect(await startedBy('none')).toEqual([]);
});
