import { setImmediate as turn } from 'node:timers/promises';
import type { Handler } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { endpoints, streamSources } from '../../functions/http/tree.ts';
import { pollingChanges } from '../../lib/adapters/aws/changes.ts';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { storeConcurrentCalls } from '../../lib/domain/instances/waiting-requests.ts';
import { putAt } from '../../lib/domain/storage/batches.ts';
import * as keys from '../../lib/domain/storage/keys.ts';
import { notifyEnd } from '../../lib/engine/delivery/end-waiters.ts';
import type { Settings } from '../../lib/ports/settings.ts';
import { resourcesOf } from '../cdk/stack.ts';
import { openDatabase, World } from '../engine/world/engine-world.ts';
import { runsOf } from '../engine/world/snapshot.ts';
import { installStreaming, integrationOf, type Received, request } from './gateway.ts';

const MINUTE = 60_000;

let database: LocalTable;
beforeAll(installStreaming);
beforeEach(async () => {
  database = await openDatabase();
});
afterEach(() => database.close());

const integration = integrationOf(resourcesOf(), 'tree');

type Waiting = NonNullable<Settings['limits']>['waitingRequests'];

/** The function of the tree over the ports of a world. */
function treeOf(world: World, waitingRequests?: Waiting): Handler {
  const ports = { ...world.ports, settings: { ...world.ports.settings, limits: { waitingRequests } } };
  const suppliers = {
    table: () => ports.table,
    blobs: () => ports.blobs,
    executions: () => ports.executions,
    bus: () => ports.bus,
    schedules: () => ports.schedules,
    sealer: () => ports.sealer,
    externalSecrets: () => ports.externalSecrets,
    containers: () => ports.containers,
    web: () => ports.web,
    lambdas: () => ports.lambdas,
    clock: () => ports.clock,
    settings: () => ports.settings,
    vault: () => ({ adminKey: async () => 'the-key' }),
    changes: () => pollingChanges({ shortest: 5, longest: 5 }),
    meter: () => undefined,
    tokens: () => undefined,
  };
  return lambda<'tree'>({ endpoints, streamSources }, suppliers, true);
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly waitingRequests?: Waiting;
}

function waitFor(world: World, path: string, { headers = {}, waitingRequests }: Sent = {}): Promise<Received> {
  const event = {
    httpMethod: 'POST',
    path: `/api/namespaces/${world.namespace}/tree/${path}`,
    headers: { 'Service-Api-Key': 'the-key', ...headers },
    multiValueQueryStringParameters: { op: ['wait'] },
    body: '{"n":1}',
    isBase64Encoded: false,
    requestContext: {},
  };
  return request(treeOf(world, waitingRequests), event, integration, () => world.time.clock.now());
}

/** Watches the node of the workflow. */
function streamOf(world: World, { waitingRequests }: Sent): Promise<Received> {
  const event = {
    httpMethod: 'GET',
    path: `/api/namespaces/${world.namespace}/tree/main`,
    headers: { 'Service-Api-Key': 'the-key', Accept: 'text/event-stream' },
    body: null,
    isBase64Encoded: false,
    requestContext: {},
  };
  return request(treeOf(world, waitingRequests), event, integration, () => world.time.clock.now());
}

/** Resolves with the reply; meanwhile time passes, and requests that wait for the end of a run read it again. */
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

/** As `whilePassing`, for requests that come at once. */
const allWhilePassing = async (world: World, replies: readonly Promise<Received>[]): Promise<Received[]> => {
  const all = Promise.all(replies);
  const last = all.then((received) => received.at(-1) as Received);
  await whilePassing(world, last);
  return all;
};

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
      const first = await whilePassing(world, waitFor(world, 'main', { headers: key }));
      expect(first.status).toBe(504);
      world.time.advance(20 * MINUTE);
      await world.pass();
      const again = await whilePassing(world, waitFor(world, 'main', { headers: key }));
      expect([again.status, JSON.parse(again.body)]).toEqual([200, { n: 1 }]);
      expect(again.headers['Service-Instance-Id']).toBe(first.headers['Service-Instance-Id']);
    }));

  test('may take longer than the default timeout of an integration', () => {
    expect(integration).toEqual({ isStreamed: true, timeoutMs: 900_000 });
  });
});

describe('requests that wait, in an account with 10 concurrent calls', () => {
  const NAP = 'states: [{id: nap, type: delay, duration: PT20M}]\ntimeouts: {interrupt: PT2H}\n';
  const waitingRequests = 'half of the account';

  test('leave half of the calls to the steps; a further one is answered with 429 and starts no run', () =>
    withWorld(NAP, async (world) => {
      const replies = Array.from({ length: 12 }, () => waitFor(world, 'main', { waitingRequests }));
      const received = await allWhilePassing(world, replies);
      const statuses = received.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(7).fill(429), ...Array(5).fill(504)]);
      const [rejected] = received.filter(({ status }) => status === 429);
      expect(rejected).toMatchObject({ headers: { 'Retry-After': '10' } });
      expect(rejected?.body).toContain('the limit of waiting requests and event streams of this service is reached');
      expect(await runsOf(world)).toHaveLength(5);
    }));

  test('free their places when they are answered, and when the function that had them crashed', () =>
    withWorld(NAP, async (world) => {
      await allWhilePassing(
        world,
        Array.from({ length: 5 }, () => waitFor(world, 'main', { waitingRequests })),
      );
      const { table, clock } = world.ports;
      const crashed = { until: clock.now() + 60_000 };
      for (let index = 0; index < 5; index += 1) {
        const key = keys.waitingRequest(0, clock.now(), `crashed-${index}`);
        await table.write([putAt(key, crashed)]);
      }
      world.time.advance(1000);
      expect((await whilePassing(world, waitFor(world, 'main', { waitingRequests }))).status).toBe(429);
      world.time.advance(60_000);
      expect((await whilePassing(world, waitFor(world, 'main', { waitingRequests }))).status).toBe(504);
    }));

  test('are as many as the account allows, once the sweep has stored its quota', () =>
    withWorld(NAP, async (world) => {
      await storeConcurrentCalls(world.ports, 30);
      const replies = Array.from({ length: 18 }, () => waitFor(world, 'main', { waitingRequests }));
      const statuses = (await allWhilePassing(world, replies)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 504)).toHaveLength(15);
    }));

  test('do not count when they end within the request', () =>
    withWorld('states: [{id: a, type: noop}]\n', async (world) => {
      const replies = Array.from({ length: 12 }, () => waitFor(world, 'main', { waitingRequests }));
      const statuses = (await allWhilePassing(world, replies)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect((await world.ports.table.query(keys.waitingRequests(0))).items).toEqual([]);
    }));

  test('are event streams too', () =>
    withWorld(NAP, async (world) => {
      const watched = Array.from({ length: 6 }, () => streamOf(world, { waitingRequests }));
      const statuses = (await allWhilePassing(world, watched)).map(({ status }) => status).sort();
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      expect((await world.ports.table.query(keys.waitingRequests(0))).items).toEqual([]);
    }));
});
