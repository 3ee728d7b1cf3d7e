import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Client, rowsOf } from '../access/client.ts';
import { type ServiceProcess, startProcess } from '../access/process.ts';

const INSTANCES = 60;
/** The first instance has the fewest rounds, and ends long before the last. */
const roundsOf = (index: number): number => 500 + 25 * index;

/** Counts in its data and in a variable: a lost or repeated round makes the two counts differ. */
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
  - condition: jq(.n < .rounds)
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

type Counts = Awaited<ReturnType<typeof statusesOf>>;

/** Polls the statuses until they are the expected ones, or the test times out. */
async function pollUntil(client: Client, signal: AbortSignal, isWanted: (counts: Counts) => boolean): Promise<Counts> {
  for (;;) {
    const counts = await statusesOf(client);
    if (isWanted(counts)) return counts;
    await setTimeout(100, undefined, { signal });
  }
}

async function outputOf(client: Client, id: string): Promise<unknown> {
  const shown = (await client.call('GET', `/api/namespaces/crash/instances/${id}/output`)).json();
  return JSON.parse(Buffer.from(String(shown['data']), 'base64').toString());
}

test(`${INSTANCES} running instances end after their service was killed twice, with every round exactly once`, async ({
  signal,
}) => {
  await service.client.call('PUT', '/api/namespaces/crash');
  const workflow = '/api/namespaces/crash/tree/counter';
  const stored = await service.client.call('PUT', `${workflow}?op=create-workflow`, { body: COUNTER });
  expect(stored.status, stored.text).toBe(200);
  const starts = Array.from({ length: INSTANCES }, (_, index) =>
    service.client.call('POST', `${workflow}?op=execute`, { json: { rounds: roundsOf(index) } }),
  );
  const ids = (await Promise.all(starts)).map((answer) => String(answer.json()['instance']));
  expect(await statusesOf(service.client)).toMatchObject({ pending: expect.any(Number) });
  await service.end('SIGKILL');
  service = await startProcess(folder);
  const between = await pollUntil(service.client, signal, ({ complete = 0 }) => complete > 0);
  expect(between).toMatchObject({ pending: expect.any(Number) });
  await service.end('SIGKILL');
  service = await startProcess(folder);
  expect(await pollUntil(service.client, signal, ({ pending = 0 }) => pending === 0)).toEqual({ complete: INSTANCES });
  for (const [index, id] of ids.entries()) {
    expect(await outputOf(service.client, id)).toEqual({ n: roundsOf(index), count: roundsOf(index) });
  }
});
