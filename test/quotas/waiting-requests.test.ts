import { setImmediate as turn } from 'node:timers/promises';
import type { Handler } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints, streamSources } from '../../functions/http/tree.ts';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { notifyEnd } from '../../lib/engine/run/end-waiters.ts';
import { resourcesOf } from '../cdk/stack.ts';
import { openDatabase, World } from '../engine/world/engine-world.ts';
import { installStreaming, integrationOf, type Received, request } from './gateway.ts';

const MINUTE = 60_000;

let database: LocalTable;
beforeAll(async () => {
  installStreaming();
  database = await openDatabase();
});
afterAll(() => database.close());

const integration = integrationOf(resourcesOf(), 'tree');

/** The function of the tree over the ports of a world. */
function treeOf(world: World): Handler {
  const { ports } = world;
  const never = () => {
    throw new Error('not used');
  };
  const suppliers = {
    table: () => ports.table,
    blobs: () => ports.blobs,
    executions: () => ports.executions,
    bus: () => ports.bus,
    schedules: () => ports.schedules,
    sealer: () => ports.sealer,
    containers: () => ports.containers,
    web: () => ports.web,
    clock: () => ports.clock,
    settings: () => ports.settings,
    vault: () => ({ adminKey: async () => 'the-key' }),
    changes: never,
    meter: () => undefined,
  };
  return lambda<'tree'>({ endpoints, streamSources }, suppliers, true);
}

function waitFor(world: World, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
  const event = {
    httpMethod: 'POST',
    path: `/api/namespaces/${world.namespace}/tree/${path}`,
    headers: { 'Service-Api-Key': 'the-key', ...headers },
    multiValueQueryStringParameters: { op: ['wait'] },
    body: '{"n":1}',
    isBase64Encoded: false,
    requestContext: {},
  };
  return request(treeOf(world), event, integration, () => world.time.clock.now());
}

/** Resolves with the reply; meanwhile time passes, and whatever waits for the end of a run looks again. */
async function whilePassing(world: World, reply: Promise<Received>): Promise<Received> {
  let isReady = false;
  const done = reply.finally(() => {
    isReady = true;
  });
  while (!isReady) {
    world.time.advance(500);
    for (const name of world.started.keys()) notifyEnd(name);
    await turn();
  }
  return done;
}

async function withWorld<T>(source: string, work: (world: World) => Promise<T>): Promise<T> {
  const world = new World(database);
  try {
    await world.store({ main: source });
    return await work(world);
  } finally {
    await world.close();
  }
}

describe('op=wait behind API Gateway', () => {
  const NAP = 'states: [{id: nap, type: delay, duration: PT20M}]\ntimeouts: {interrupt: PT2H}\n';

  test('is answered before API Gateway ends it, with the id of an instance that has not ended', () =>
    withWorld(NAP, async (world) => {
      const received = await whilePassing(world, waitFor(world, 'main'));
      expect(received).toMatchObject({ status: 504, headers: { 'Service-Instance-Id': expect.any(String) } });
      expect(received.cutAfterMs).toBeUndefined();
      expect(received.body).toContain('Idempotency-Key');
    }));

  test('is attached again by its Idempotency-Key, until the same instance has ended', () =>
    withWorld(NAP, async (world) => {
      const key = { 'Idempotency-Key': 'order-7' };
      const first = await whilePassing(world, waitFor(world, 'main', key));
      expect(first.status).toBe(504);
      world.time.advance(20 * MINUTE);
      await world.pass();
      const again = await whilePassing(world, waitFor(world, 'main', key));
      expect([again.status, JSON.parse(again.body)]).toEqual([200, { n: 1 }]);
      expect(again.headers['Service-Instance-Id']).toBe(first.headers['Service-Instance-Id']);
    }));

  test('may take longer than the default timeout of an integration', () => {
    expect(integration).toEqual({ isStreamed: true, timeoutMs: 900_000 });
  });
});
