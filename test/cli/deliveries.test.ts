import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../../bin/server/service.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { receive } from '../../lib/engine/events/broadcasting.ts';
import { keepDeadLetter } from '../../lib/engine/events/dead-letters.ts';
import type { Message } from '../../lib/ports/bus.ts';
import { type Client, clientOf, rowsOf } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const START = 'start: {type: event, event: {type: t}}\nstates:\n- {id: a, type: noop}\n';
const WHY = { failed: Date.UTC(2026, 10, 21, 12), tries: 3, error: 'the router was away' };

let service: Service;
let client: Client;
let workspace: Workspace;

beforeAll(async () => {
  const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service', version: 'v0' };
  service = await startService({ ...settings, databaseEndpoint: undefined });
  client = clientOf(service.url, service.key, () => service.close());
  await client.call('PUT', '/api/namespaces/shop');
  await client.call('PUT', '/api/namespaces/shop/tree/flow?op=create-workflow', { body: START });
  workspace = await openWorkspace(client, 'shop');
});
afterAll(async () => {
  await workspace.clear();
  await client.close();
});

/** Sends an event over a bus whose delivery fails. */
async function lose(id: string): Promise<void> {
  const publish = async (messages: readonly Message[]) => {
    for (const detail of messages) await keepDeadLetter(service.ports, { detail }, WHY);
  };
  const bus = { publish, publishAt: async (_: number, __: string, message: Message) => publish([message]) };
  const namespace = await namespaces.need(service.ports, 'shop');
  await receive({ ...service.ports, bus }, namespace, { specversion: '1.0', id, source: 's', type: 't' });
}

const startedRuns = async (): Promise<number> => {
  await service.idle();
  const list = (await client.call('GET', '/api/namespaces/shop/instances')).json();
  return rowsOf(list['instances']?.['results']).length;
};

test('failed deliveries are listed, delivered again (one or all), and deleted', async () => {
  for (const id of ['one', 'two', 'three']) await lose(id);
  const listed = await workspace.weft(['deliveries', 'list', '--json']);
  const ids = rowsOf(listed.json()).map(({ id }) => String(id));
  expect(ids).toHaveLength(3);
  expect((await workspace.weft(['deliveries', 'list'])).out).toContain('the router was away');
  expect(await startedRuns()).toBe(0);

  const [first = '', second = ''] = ids;
  expect((await workspace.weft(['deliveries', 'redeliver', first])).out).toBe(`delivered ${first}\n`);
  expect(await startedRuns()).toBe(1);
  expect((await workspace.weft(['deliveries', 'delete', second])).out).toBe(`deleted ${second}\n`);
  expect((await workspace.weft(['deliveries', 'redeliver'])).out).toBe('1 delivered, 0 failed again, 0 left\n');
  expect(await startedRuns()).toBe(2);
  expect((await workspace.weft(['deliveries', 'list', '--json'])).out.trim()).toBe('[]');
});

test('a missing one is an error with exit code 1', async () => {
  const { code, err } = await workspace.weft(['deliveries', 'redeliver', 'nosuch']);
  expect([code, err]).toEqual([1, expect.stringContaining('not found')]);
});
