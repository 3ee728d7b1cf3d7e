import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../bin/service.ts';
import { versionOf } from '../../bin/settings.ts';
import { CASES, EVENTS } from '../upgrade/workflows.ts';
import { type Client, clientOf, type Json, rowsOf } from './client.ts';

const FOLDER = fileURLToPath(new URL('../upgrade/', import.meta.url));
const ARCHIVES = readdirSync(FOLDER).filter((name) => name.endsWith('.tar.gz'));
const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };
const LONGEST_MS = 60_000;

describe.each(ARCHIVES)('the data of %s, in which runs wait', (archive) => {
  let data: string;
  let service: Service;
  let client: Client;

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'weft-upgrade-'));
    execFileSync('tar', ['xzf', join(FOLDER, archive), '-C', data]);
    const settings = { port: 0, host: '127.0.0.1', data, apiKey: undefined, brand: 'service' };
    service = await startService({ ...settings, databaseEndpoint: undefined, version: versionOf() });
    client = clientOf(service.url, service.key, () => service.close());
    for (const event of EVENTS)
      await client.call('POST', '/api/namespaces/upgrade/broadcast', { json: event, headers: STRUCTURED });
  });
  afterAll(async () => {
    await client?.close();
    rmSync(data, { recursive: true });
  });

  const instanceOf = async (path: string): Promise<Json | undefined> => {
    const filter = `filter.field=AS&filter.type=WORKFLOW&filter.val=${path}`;
    const list = await client.call('GET', `/api/namespaces/upgrade/instances?${filter}`);
    return rowsOf(list.json()['instances']?.['results']).find(({ invoker }) => String(invoker) === 'api');
  };

  test.each(Object.keys(CASES))('its run of %s goes on to its end', async (path) => {
    const end = performance.now() + LONGEST_MS;
    let run = await instanceOf(path);
    while (String(run?.['status']) === 'pending' && performance.now() < end) {
      await sleep(100);
      run = await instanceOf(path);
    }
    expect([String(run?.['status']), String(run?.['errorMessage'])]).toEqual(['complete', '']);
    const answer = await client.call('GET', `/api/namespaces/upgrade/instances/${run?.['id']}/output`);
    const output = JSON.parse(Buffer.from(String(answer.json()['data']), 'base64').toString());
    expect(output).toEqual(CASES[path]?.output);
  });

  test('its workflows run anew, its tags and variables are there', async () => {
    const again = await client.call('POST', '/api/namespaces/upgrade/tree/delay?op=wait&ref=v1', { json: { n: 2 } });
    expect(again.json()).toEqual({ n: 2, late: true });
    expect((await client.call('GET', '/api/namespaces/upgrade/vars/greeting')).text).toBe('hello');
  });

  test('its lists, logs and metrics can be read', async () => {
    const run = await instanceOf('delay');
    for (const path of [
      'instances',
      'logs',
      'events',
      'event-listeners',
      'vars',
      'metrics/invoked',
      `instances/${run?.['id']}/logs`,
    ]) {
      const answer = await client.call('GET', `/api/namespaces/upgrade/${path}`);
      expect(answer.status, `${path} ${answer.text}`).toBe(200);
    }
  });
});
