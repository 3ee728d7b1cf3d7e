import { beforeEach, describe, expect, test } from 'vitest';
import { withLeases } from '../../lib/adapters/aws/table/leases.ts';
import { leasable } from '../../lib/adapters/portable/schema.ts';
import { authenticate } from '../../lib/api/http/access.ts';
import * as apiKeys from '../../lib/domain/credentials/api-keys.ts';
import { configure } from '../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { grow } from '../../lib/domain/namespaces/partitions.ts';
import * as keys from '../../lib/domain/storage/keys.ts';
import { ACTIVATION_MS } from '../../lib/domain/storage/spread.ts';
import * as tree from '../../lib/domain/tree/tree.ts';
import * as workflows from '../../lib/domain/tree/workflows.ts';
import { receiveInbound } from '../../lib/engine/events/inbound.ts';
import { prepare } from '../../lib/engine/requests/start/invocations.ts';
import { leased } from '../../lib/ports/table.ts';
import { MemoryPorts } from '../engine/world/memory-ports.ts';
import { PartitionMeter, READ_UNITS_OF_PARTITION } from './partition-meter.ts';

const NOOP = 'states: [{id: a, type: noop}]\n';
const OTHER = 'states: [{id: b, type: noop}]\n';

let memory: MemoryPorts;
let meter: PartitionMeter;
/** Milliseconds that writers have waited. */
let waited: number;

/** A process with leases of its own over the tables that all share; time passes while it waits. */
function processOf(): MemoryPorts['ports'] {
  const wait = async (ms: number) => {
    waited += ms;
    memory.now += ms;
  };
  const table = withLeases(meter.measure(memory.ports.table), { clocks: [() => memory.now], wait });
  return { ...memory.ports, table, settings: { ...memory.ports.settings, limits: { partitionRows: 300 } } };
}

beforeEach(async () => {
  memory = new MemoryPorts();
  waited = 0;
  meter = new PartitionMeter(() => memory.now);
  await namespaces.create(memory.ports, 'demo');
  await tree.createDirectory(memory.ports, 'demo', '/folder');
  await workflows.create(memory.ports, 'demo', '/folder/flow', NOOP);
});

async function heat(): Promise<void> {
  await grow(processOf(), await namespaces.need(memory.ports, 'demo'), 5000);
  memory.now += ACTIVATION_MS;
  meter.clear();
}

const invocation = { namespace: 'demo', path: '/folder/flow', ref: '', input: Buffer.from('{}') };
const start = (ports: MemoryPorts['ports']) => prepare(ports, invocation);

describe('5,000 starts a second of one workflow', () => {
  /** A process serves ten requests a second: a tenth of the load, by a tenth of the processes. */
  const SCALE = 10;
  const PROCESSES = 50;
  const STARTS = 10;

  const load = async () => {
    // Then the ids of the directories are known, and a path is read by one call.
    await start(memory.ports);
    const processes = Array.from({ length: PROCESSES }, processOf);
    for (let n = 0; n < STARTS; n += 1) for (const ports of processes) await start(ports);
  };

  test('read the namespace and the workflow once a second in each process', async () => {
    await heat();
    await load();
    expect(meter.highest('reads', 'namespaces demo') * SCALE).toBe(500);
    expect(meter.highest('reads', 'flow') * SCALE).toBeLessThan(READ_UNITS_OF_PARTITION / 2);
  });

  test('read them for each start in a namespace with one partition, which is always exact', async () => {
    await load();
    expect(meter.highest('reads', 'namespaces demo') * SCALE).toBe(5000);
  });

  test('with an API key read it once a second in each process', async () => {
    await heat();
    const wanted = { name: 'runner', permission: 'run', namespaces: ['demo'] } as const;
    const { secret } = await apiKeys.create(memory.ports, wanted);
    const request = { headers: { 'service-api-key': secret } } as never;
    const vault = { adminKey: async () => 'admin' };
    for (const ports of Array.from({ length: PROCESSES }, processOf)) {
      for (let n = 0; n < STARTS; n += 1) await authenticate({ table: leased(ports.table), vault }, request, 'demo');
    }
    expect(meter.highest('reads', 'api-keys') * SCALE).toBe(500);
  });
});

/** Changes after which no process may answer from the state before: title, change, check. */
const CHANGES: readonly (readonly [
  string,
  (ports: MemoryPorts['ports']) => Promise<unknown>,
  (ports: MemoryPorts['ports']) => Promise<unknown>,
])[] = [
  [
    'the deletion of the namespace',
    (ports) => namespaces.remove(ports, 'demo', true),
    async (ports) => expect(start(ports)).rejects.toThrow('namespace'),
  ],
  [
    'the deletion of the directory',
    (ports) => tree.remove(ports, 'demo', '/folder', true),
    async (ports) => expect(start(ports)).rejects.toThrow("inode not found at '/folder'"),
  ],
  [
    'the renaming of the directory',
    (ports) => tree.rename(ports, 'demo', '/folder', '/moved'),
    async (ports) => {
      await expect(start(ports)).rejects.toThrow("inode not found at '/folder'");
      await prepare(ports, { ...invocation, path: '/moved/flow' });
    },
  ],
  [
    'a new revision',
    async (ports) => workflows.update(ports, await workflows.open(ports, 'demo', '/folder/flow'), OTHER),
    async (ports) => expect((await start(ports)).run.at).toBe('b'),
  ],
  [
    'disabling the workflow',
    async (ports) => workflows.toggle(ports, await workflows.open(ports, 'demo', '/folder/flow'), false),
    async (ports) => expect(start(ports)).rejects.toThrow('disabled'),
  ],
  [
    'a setting of the namespace',
    (ports) => configure(ports, 'demo', { record: 'flow' }),
    async (ports) => expect((await start(ports)).run.settings.record).toBe('flow'),
  ],
];

describe('a namespace whose items many processes read', () => {
  test.each(CHANGES)('is read exactly after %s', async (_what, change, check) => {
    await heat();
    const readers = [processOf(), processOf()];
    for (const ports of readers) await start(ports);
    await change(processOf());
    expect(waited).toBeGreaterThan(1_000);
    for (const ports of [...readers, processOf()]) await check(ports);
  });

  test.each(CHANGES)('does not delay anybody if it has one partition: %s', async (_what, change, check) => {
    const reader = processOf();
    await start(reader);
    await change(processOf());
    expect(waited).toBe(0);
    await check(reader);
  });

  test('lets no key pass after it was deleted', async () => {
    await heat();
    const wanted = { name: 'runner', permission: 'run', namespaces: ['demo'] } as const;
    const { secret, key } = await apiKeys.create(memory.ports, wanted);
    const request = { headers: { 'service-api-key': secret } } as never;
    const vault = { adminKey: async () => 'admin' };
    const reader = processOf();
    await authenticate({ table: leased(reader.table), vault }, request, 'demo');
    await apiKeys.remove(processOf(), key.id);
    expect(waited).toBeGreaterThan(1_000);
    await expect(authenticate({ table: leased(reader.table), vault }, request, 'demo')).rejects.toThrow(
      'the key is not known',
    );
  });

  test('takes no event after its deletion', async () => {
    await heat();
    const reader = processOf();
    const event = {
      'detail-type': 't',
      source: 's',
      id: '1',
      detail: {},
      resources: [],
      time: '2026-01-15T12:00:00Z',
    } as never;
    await receiveInbound(reader, { namespace: 'demo', event });
    await namespaces.remove(processOf(), 'demo', true);
    await expect(receiveInbound(reader, { namespace: 'demo', event })).rejects.toThrow('namespace');
  });

  test('ends a lease by whichever clock has passed it: AWS stops functions between requests', async () => {
    await heat();
    const [first, second] = [{ ms: 0 }, { ms: 0 }];
    const table = withLeases(meter.measure(memory.ports.table), { clocks: [() => first.ms, () => second.ms] });
    const read = async (): Promise<number> => {
      meter.clear();
      await table.getLeased?.([keys.namespace('demo')]);
      return meter.highest('reads', 'namespaces demo');
    };
    expect([await read(), await read()]).toEqual([1, 0]);
    first.ms += 1_000;
    expect([await read(), await read()]).toEqual([1, 0]);
    second.ms += 1_000;
    expect(await read()).toBe(1);
    second.ms -= 60_000;
    expect(await read()).toBe(1);
  });
});

test('the items that may be leased have the keys of the domain', () => {
  expect(keys.NAMESPACES).toEqual({ table: leasable.table, pk: leasable.namespaces });
  expect(keys.API_KEYS).toEqual({ table: leasable.table, pk: leasable.apiKeys });
});
