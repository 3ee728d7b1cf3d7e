import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Service, startService } from '../../bin/server/service.ts';
import { ScriptedContainers } from '../contract/scripted-containers.ts';
import { type EmulatedTable, openEmulatedTable } from '../emulator/dynoxide.ts';

let database: EmulatedTable;
let service: Service;

beforeEach(async () => {
  database = await openEmulatedTable();
  const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: 'a-key-for-the-tests', brand: 'service' };
  const endpoint = { databaseEndpoint: database.endpoint, version: 'v0' };
  service = await startService({ ...settings, ...endpoint }, {}, { containers: new ScriptedContainers() });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.close();
});

const call = (method: string, path: string) =>
  fetch(`${service.url}/api/namespaces${path}`, { method, headers: { 'Service-Api-Key': service.key } });

test('npm start with a database elsewhere that cannot be reached replies 503 with Retry-After', async () => {
  expect((await call('PUT', '/demo')).status).toBe(200);
  await service.idle();
  await database.close();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  for (const [method, path] of [
    ['GET', ''],
    ['PUT', '/other'],
    ['GET', '/demo/tree'],
  ] as const) {
    const reply = await call(method, path);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
    const message = 'the database cannot be reached at this moment; try again later';
    expect(await reply.json()).toMatchObject({ code: 503, message });
  }
});
