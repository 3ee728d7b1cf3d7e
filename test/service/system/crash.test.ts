import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Client, rowsOf } from '../access/client.ts';
import { type ServiceProcess, startProcess } from '../access/process.ts';

const INSTANCES = 200;
const ROUNDS = 3000;

/** Counts in its data and in a variable at once: a round done twice or lost in between makes the two differ. */
const COUNTER = `
states:
- id: look
  type: getter
  variables: [{key: count, scope: instance}]
  transform: 'jq(. + {count: ((.var.count // 0) + 1), n: ((.n // 0) + 1)})'
  transition: write
- id: write
  type: setter
  variables: [{key: count, scope: instance, value: jq(.count), mimeType: application/json}]
  transition: rest
- id: rest
  type: noop
  transition: again
- id: again
  type: switch
  conditions:
  - condition: jq(.n < ${ROUNDS})
    transition: look
  defaultTransform: {n: jq(.n), count: jq(.count)}
`;

let folder: string;
let service: ServiceProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-crash-'));
  service = await startProcess(folder);
});

afterEach(async () => {
  await service.end('SIGTERM');
  await rm(folder, { recursive: true });
});

async function statusesOf(client: Client): Promise<Record<string, number>> {
  const list = (await client.call('GET', '/api/namespaces/crash/instances')).json();
  const counts: Record<string, number> = {};
  for (const row of rowsOf(list['instances']?.['results'])) {
    const status = String(row['status']);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

async function untilOver(client: Client): Promise<Record<string, number>> {
  for (;;) {
    const counts = await statusesOf(client);
    if (counts['pending'] === undefined) return counts;
    await setTimeout(200);
  }
}

async function outputOf(client: Client, id: string): Promise<unknown> {
  const shown = (await client.call('GET', `/api/namespaces/crash/instances/${id}/output`)).json();
  return JSON.parse(Buffer.from(String(shown['data']), 'base64').toString());
}

describe('a service killed at work, and killed again', () => {
  test(`brings ${INSTANCES} running instances to their end after a restart, no round lost and none done twice`, {
    timeout: 120_000,
  }, async () => {
    await service.client.call('PUT', '/api/namespaces/crash');
    const workflow = '/api/namespaces/crash/tree/counter';
    const stored = await service.client.call('PUT', `${workflow}?op=create-workflow`, { body: COUNTER });
    expect(stored.status, stored.text).toBe(200);
    const starts = Array.from({ length: INSTANCES }, () =>
      service.client.call('POST', `${workflow}?op=execute`, { json: {} }),
    );
    const ids = (await Promise.all(starts)).map((answer) => String(answer.json()['instance']));
    const before = await statusesOf(service.client);
    expect(before).toEqual({ pending: INSTANCES });
    await service.end('SIGKILL');
    service = await startProcess(folder);
    await setTimeout(3000);
    const between = await statusesOf(service.client);
    await service.end('SIGKILL');
    service = await startProcess(folder);
    expect(await untilOver(service.client)).toEqual({ complete: INSTANCES });
    for (const id of ids) expect(await outputOf(service.client, id)).toEqual({ n: ROUNDS, count: ROUNDS });
    console.log(
      `killed with ${before['pending']}, again with ${between['pending'] ?? 0} pending; all complete in the end`,
    );
  });
});
