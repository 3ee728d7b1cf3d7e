import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import * as events from '../../lib/domain/events/events.ts';
import * as instances from '../../lib/domain/instances/instances.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { toListRequest } from '../../lib/domain/storage/list-requests.ts';
import { partitionsIn } from '../../lib/domain/storage/spread.ts';
import { receive } from '../../lib/engine/events/broadcasting.ts';
import type { RunnerPorts } from '../../lib/engine/ports.ts';
import { execute, executeAndWait } from '../../lib/engine/requests/start/start.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { openDatabase, World } from '../engine/world/engine-world.ts';
import { runsOf } from '../engine/world/snapshot.ts';
import { OneKeyLimit, ThrottledKeyError } from './one-key-limit.ts';

/** A key takes 1,000 units a second; limit and load are a fortieth of the real ones. */
const SCALE = 40;
const KEY_LIMIT = 1000 / SCALE;
const SECONDS = 40;

/** It demands no exact value. */
const WAIT = 'states: [{id: a, type: consumeEvent, event: {type: load, context: {source: "s*"}}, timeout: PT1H}]\n';

let database: LocalTable;
let world: World;
beforeEach(async () => {
  database = await openDatabase();
  world = new World(database);
  await world.store({ noop: 'states: [{id: a, type: noop}]\n', wait: WAIT });
});
afterEach(() => database.close());

/** The ports of a process over a database whose keys have a limit, or those of one kind. */
function limited(isReporting: boolean, isOfKind?: (pk: string) => boolean): RunnerPorts {
  const keys = new OneKeyLimit(KEY_LIMIT, () => world.time.clock.now(), isOfKind);
  return { ...world.reliable, table: keys.limit(world.reliable.table, isReporting) };
}

/** The outcome of a load that began at once. */
interface Burst {
  readonly accepted: number;
  /** The last second in which one was refused. */
  readonly lastRefusal: number;
  readonly partitions: number;
}

async function burst(perSecond: number, work: (n: number) => Promise<unknown>, seconds = SECONDS): Promise<Burst> {
  const each = perSecond / SCALE;
  const pause = 1000 / each;
  let [accepted, lastRefusal] = [0, -1];
  for (let n = 0; n < each * seconds; n += 1) {
    await work(n).then(
      () => {
        accepted += 1;
      },
      (error: unknown) => {
        if (!(error instanceof ThrottledKeyError)) throw error;
        lastRefusal = Math.floor(n / each);
      },
    );
    world.time.advance(pause);
  }
  const { spread } = await namespaces.need(world.reliable, world.namespace);
  return { accepted, lastRefusal, partitions: partitionsIn(spread) };
}

const invocation = (path = '/noop') => ({ namespace: world.namespace, path, ref: '', input: Buffer.from('{}') });
const eventOf = (n: number) => ({ specversion: '1.0', id: `e-${n}`, source: 's', type: 'load' }) as CloudEvent;

test('a burst of 2,500 op=wait a second is throttled for 26 seconds at most, and no run of it is lost in lists', async () => {
  const ports = limited(true);
  const found = await burst(2500, () => executeAndWait(ports, invocation()));
  expect(found.lastRefusal).toBeLessThanOrEqual(26);
  expect(found.partitions).toBe(4);
  const list = await instances.list(world.reliable, world.namespace, toListRequest({ limit: ['1'] }));
  expect(list.pageInfo.total).toBe(found.accepted);
});

test('without a report of the throttled keys it is throttled to its end', async () => {
  const ports = limited(false);
  const found = await burst(2500, () => executeAndWait(ports, invocation()));
  expect([found.lastRefusal, found.partitions]).toEqual([SECONDS - 1, 1]);
});

test('a burst of 1,500 events of one type a second is throttled for 13 seconds at most, and a look-back finds all', async () => {
  const ports = limited(true);
  const namespace = () => namespaces.need(ports, world.namespace);
  const from = world.time.clock.now();
  const found = await burst(1500, async (n) => receive(ports, await namespace(), eventOf(n)));
  expect(found.lastRefusal).toBeLessThanOrEqual(13);
  expect(found.partitions).toBe(2);
  const home = await namespace();
  const recorded = await events.dueSince(ports, { home, type: 'load', from }, () => true);
  expect(recorded).toHaveLength(found.accepted);
});

test('a burst of 1,500 waits of one type a second is throttled for 13 seconds at most, and each wait gets the event', async () => {
  const ports = limited(true, (pk) => pk.startsWith('listeners'));
  const found = await burst(1500, () => execute(ports, invocation('/wait')), SECONDS / 2);
  expect(found.lastRefusal).toBeLessThanOrEqual(13);
  expect(found.partitions).toBe(2);
  await receive(world.ports, await namespaces.need(ports, world.namespace), eventOf(1));
  await world.deliver();
  await world.pass(world.time.clock.now());
  const statuses = (await runsOf(world)).map(({ status }) => status);
  expect(statuses.length).toBe(found.accepted);
  expect(statuses.filter((status) => status !== 'complete')).toEqual([]);
});
