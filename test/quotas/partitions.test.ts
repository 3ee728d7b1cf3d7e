import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import * as events from '../../lib/domain/events/events.ts';
import * as listenerList from '../../lib/domain/events/listener-list.ts';
import * as instances from '../../lib/domain/instances/instances.ts';
import { configure } from '../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { grow } from '../../lib/domain/namespaces/partitions.ts';
import { toListRequest } from '../../lib/domain/storage/list-requests.ts';
import { ACTIVATION_MS } from '../../lib/domain/storage/spread.ts';
import { receive } from '../../lib/engine/events/broadcasting.ts';
import type { RunnerPorts } from '../../lib/engine/ports.ts';
import { execute, executeAndWait } from '../../lib/engine/requests/start/start.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { openDatabase, World } from '../engine/world/engine-world.ts';
import { runsOf } from '../engine/world/snapshot.ts';
import { PartitionMeter, WRITE_UNITS_OF_PARTITION } from './partition-meter.ts';

/** The nominal rate, and the number of requests that the test sends for a second: their units are scaled up. */
const STARTS_PER_SECOND = 5000;
const SENT = 1000;
/** The same for events of one type, and for waits of one type that begin and end. */
const EVENTS_PER_SECOND = 3000;
const WAITS_PER_SECOND = 3000;
const SCALE = STARTS_PER_SECOND / SENT;

const NOOP = 'states: [{id: a, type: noop}]\n';
const WAITS =
  'states: [{id: a, type: consumeEvent, event: {type: paid, context: {order: "jq(.order)"}}, timeout: PT1H}]\n';

let database: LocalTable;
let world: World;
let meter: PartitionMeter;
let ports: RunnerPorts;

beforeEach(async () => {
  database = await openDatabase();
  world = new World(database);
  await world.store({ noop: NOOP, waits: WAITS });
  meter = new PartitionMeter(() => world.time.clock.now());
  const limits = { partitionRows: 300 };
  const { reliable } = world;
  ports = { ...reliable, table: meter.measure(reliable.table), settings: { ...reliable.settings, limits } };
});
afterEach(() => database.close());

/** Lets the namespace have a load of `rowsPerSecond`, and its partitions become active. */
async function growTo(rowsPerSecond: number): Promise<void> {
  await grow(ports, await namespaces.need(ports, world.namespace), rowsPerSecond);
  world.time.advance(ACTIVATION_MS);
  meter.clear();
}

const invocationOf = (path: string, n: number) => ({
  namespace: world.namespace,
  path: `/${path}`,
  ref: '',
  input: Buffer.from(`{"order": "${n}"}`),
});

async function send(work: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < SENT; n += 50) await Promise.all(Array.from({ length: 50 }, (_, index) => work(n + index)));
}

const eventOf = (n: number) => ({ specversion: '1.0', id: `e-${n}`, source: 's', type: 'load', n }) as CloudEvent;

describe(`${STARTS_PER_SECOND} requests a second in one namespace`, () => {
  test('with op=wait stay below the limit of every partition of the indexes', async () => {
    await growTo(STARTS_PER_SECOND);
    await send((n) => executeAndWait(ports, invocationOf('noop', n)));
    expect(meter.keys(' by-namespace ')).toBe(16);
    expect(meter.highest('writes', ' by-namespace ') * SCALE).toBeLessThan(WRITE_UNITS_OF_PARTITION);
    expect(meter.highest('writes', ' by-end ') * SCALE).toBeLessThan(WRITE_UNITS_OF_PARTITION);
    const list = await instances.list(ports, world.namespace, toListRequest({ limit: ['100'] }));
    expect([list.results.length, list.pageInfo.total]).toEqual([100, SENT]);
  });

  test('with waits for events stay below it, also in the list of all listeners', async () => {
    await growTo(STARTS_PER_SECOND);
    await send((n) => execute(ports, invocationOf('waits', n)));
    meter.clear();
    await world.pass(world.time.clock.now());
    const { spread } = await namespaces.need(ports, world.namespace);
    const id = (await namespaces.need(ports, world.namespace)).id;
    const found = await listenerList.list(ports, { id, spread }, toListRequest({ limit: ['10'] }));
    expect([found.results.length, found.pageInfo.total]).toEqual([10, SENT]);
    const deletions = await listenerList.list(ports, { id, spread: undefined }, toListRequest({ limit: ['1'] }));
    expect(deletions.pageInfo.total * SCALE).toBeLessThan(WRITE_UNITS_OF_PARTITION / 2);
  });

  test(`with ${EVENTS_PER_SECOND} events of one type stay below it, and a look-back finds them all`, async () => {
    await growTo(STARTS_PER_SECOND);
    const namespace = await namespaces.need(ports, world.namespace);
    const from = world.time.clock.now();
    await send((n) => receive(ports, namespace, eventOf(n)));
    // The record of an event is one unit; later it is marked as routed, one more.
    const recorded = (meter.highest('writes', `${namespace.id}#load`) / SENT) * EVENTS_PER_SECOND;
    expect(recorded * 2).toBeLessThan(WRITE_UNITS_OF_PARTITION);
    expect(meter.highest('writes', ' by-time ') * SCALE).toBeLessThan(WRITE_UNITS_OF_PARTITION);
    const found = await events.dueSince(ports, { home: namespace, type: 'load', from }, () => true);
    expect(found.map(({ event }) => event.id)).toHaveLength(SENT);
  });

  test('without partitions exceed it: the meter counts what limits a namespace', async () => {
    await send((n) => executeAndWait(ports, invocationOf('noop', n)));
    expect(meter.keys(' by-namespace ')).toBe(1);
    expect(meter.highest('writes', ' by-namespace ') * SCALE).toBe(STARTS_PER_SECOND);
  });
});

describe('the writes of whole runs', () => {
  let counted: World;
  beforeEach(() => {
    const counts: PartitionMeter = new PartitionMeter(() => counted.time.clock.now());
    meter = counts;
    counted = new World({ ...database, table: counts.measure(database.table) });
  });
  afterEach(() => counted.close());

  /** A wait that any event of the type ends. */
  const ANY = { any: 'states: [{id: a, type: consumeEvent, event: {type: paid}, timeout: PT1H}]\n' };
  const pay = async () => {
    const namespace = await namespaces.need(counted.ports, counted.namespace);
    await receive(counted.ports, namespace, { ...eventOf(1), type: 'paid' });
    await counted.deliver();
    await pass();
  };

  const units = async (text: string, work: () => Promise<unknown>): Promise<number> => {
    meter.clear();
    await work();
    return meter.written(text);
  };
  const pass = () => counted.pass(counted.time.clock.now());

  test(`${WAITS_PER_SECOND} waits of one type without an exact value stay below the limit, and all get the event`, async () => {
    await counted.store(ANY);
    await configure(counted.ports, counted.namespace, { partitions: 16 });
    meter.clear();
    await send(() => counted.execute('any', '{}'));
    await pass();
    await pay();
    expect((await runsOf(counted)).filter(({ status }) => status === 'complete')).toHaveLength(SENT);
    expect(meter.written(' - listeners')).toBeGreaterThanOrEqual(3 * SENT);
    const busiest = (meter.highest('writes', ' - listeners') / SENT) * WAITS_PER_SECOND;
    expect(busiest).toBeLessThan(WRITE_UNITS_OF_PARTITION);
  });

  /** docs/scaling.md has the rates that follow: 1,000 units a second. */
  test('the listeners of a type without an exact value: three units for each wait', async () => {
    await counted.store(ANY);
    const used = await units(' - listeners#', async () => {
      await counted.execute('any', '{}');
      await pass();
      await pay();
    });
    expect((await runsOf(counted)).map(({ status }) => status)).toEqual(['complete']);
    expect(used).toBe(3);
  });
});
