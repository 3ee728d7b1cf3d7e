import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openEndpointTable } from '../../../lib/adapters/local/endpoint/tables.ts';
import { openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { readStored } from '../../../lib/domain/namespaces/stored-variables.ts';
import * as variables from '../../../lib/domain/namespaces/variables.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { readAll } from '../../../lib/domain/storage/queries.ts';
import * as tree from '../../../lib/domain/tree/tree.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { VariableBuffer } from '../../../lib/engine/run/commit/variable-buffer.ts';
import type { Table } from '../../../lib/ports/table.ts';
import { MemoryTable } from '../../contract/memory-table.ts';
import { startDynamoDBLocal } from '../../emulator/dynamodb-local.ts';
import { UnavailableError } from '../../emulator/python-packages.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';
import { CountedRuns } from '../metrics/counted-runs.ts';

const KIB = 1024;
const AT_ONCE = 8;
const SCHEDULED = "start: {type: scheduled, cron: '0 0 1 1 *'}\nstates: [{id: a, type: noop}]\n";
const BY_EVENTS = 'start: {type: eventsXor, events: [{type: a}, {type: b}]}\nstates: [{id: a, type: noop}]\n';

const emulator = await startDynamoDBLocal().catch((error: unknown) => {
  if (error instanceof UnavailableError) return error.message;
  throw error;
});
const local = await openLocalTable();
const endpoint = typeof emulator === 'string' ? undefined : await openEndpointTable(emulator);
afterAll(async () => {
  await local.close();
  await endpoint?.close();
  if (typeof emulator !== 'string') await emulator.close();
});

const TABLES: Readonly<Record<string, () => Table | undefined>> = {
  memory: () => new MemoryTable(),
  SQLite: () => local.table,
  DynamoDB: () => endpoint?.table,
};

const each = (work: (index: number) => Promise<unknown>) =>
  Promise.allSettled(Array.from({ length: AT_ONCE }, (_, index) => work(index)));

describe.each(Object.entries(TABLES))('changes at the same time are counted once each in %s', (_, tableOf) => {
  const table = tableOf();
  if (table === undefined) {
    test.skip('which is not here', () => undefined);
    return;
  }
  let ports: MemoryPorts['ports'];
  let namespace: namespaces.Namespace;
  let worlds = 0;

  beforeEach(async () => {
    ports = { ...new MemoryPorts().ports, table };
    worlds += 1;
    namespace = await namespaces.create(ports, `demo${worlds}`);
  });

  const owner = () => ({ scope: 'namespace', id: namespace.id }) as const;
  const bytes = (kib: number) => ({ bytes: new Uint8Array(kib * KIB), mimeType: undefined });
  const set = (name: string, kib: number) => variables.set(ports, { namespace, owner: owner() }, name, bytes(kib));
  const remove = (name: string) => variables.remove(ports, { namespace, owner: owner() }, name);
  async function expectExact(): Promise<void> {
    const items = await readAll(table as Table, keys.variables(owner()));
    const total = items.reduce((sum, { size }) => sum + Number(size), 0);
    expect(await readStored(ports, namespace.id)).toEqual({ bytes: total, variables: items.length });
  }

  test('the same new variable', async () => {
    const made = await each(() => set('v', 1));
    expect(made.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill('fulfilled'));
    expect(await readStored(ports, namespace.id)).toEqual({ bytes: KIB, variables: 1 });
  });

  test('values of different sizes, and deletions among them', async () => {
    await each((index) => set('v', index + 1));
    await expectExact();
    await each((index) => (index % 2 === 0 ? set('v', index + 1) : remove('v')));
    await expectExact();
    await each(() => remove('v'));
    expect(await readStored(ports, namespace.id)).toEqual({ bytes: 0, variables: 0 });
  });

  test('a variable that runs and requests set', async () => {
    const world = new CountedRuns();
    const needs = { ...world.needs, table };
    const commit = async (index: number) => {
      const run = world.newRun(namespace, `w${index}`);
      const buffer = new VariableBuffer(ports, run);
      await buffer.write(owner(), await variables.make(ports, owner(), 'v', bytes(index + 1)));
      return runs.commit(needs, { ...run, seq: 1 }, await buffer.toWrites());
    };
    const done = await each((index) => (index % 3 === 0 ? set('v', index + 1) : commit(index)));
    expect(done.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill('fulfilled'));
    await expectExact();
  });

  const counts = async () => (await namespaces.need(ports, namespace.name)).counts;

  test('a workflow that is enabled, disabled, changed and deleted', async () => {
    const opened = await workflows.create(ports, namespace.name, '/w', SCHEDULED);
    expect(await counts()).toEqual({ workflows: 1, schedules: 1, ticks: 1, listeners: 0 });
    await each(() => workflows.toggle(ports, opened, false));
    expect(await counts()).toEqual({ workflows: 1, schedules: 0, ticks: 0, listeners: 0 });
    const disabled = await workflows.open(ports, namespace.name, '/w');
    await each((index) =>
      index % 2 === 0 ? workflows.toggle(ports, disabled, true) : workflows.update(ports, disabled, BY_EVENTS),
    );
    const now = await workflows.open(ports, namespace.name, '/w');
    const isScheduled = workflows.isScheduled(now);
    const starts = now.node.live
      ? { schedules: Number(isScheduled), ticks: Number(isScheduled), listeners: isScheduled ? 0 : 2 }
      : {};
    expect(await counts()).toEqual({ workflows: 1, schedules: 0, ticks: 0, listeners: 0, ...starts });
    await each((index) =>
      index % 2 === 0 ? tree.remove(ports, namespace.name, '/w', true) : workflows.toggle(ports, now, !now.node.live),
    );
    if ((await tree.remove(ports, namespace.name, '/w', true).catch(() => undefined)) === undefined) {
      await expect(tree.remove(ports, namespace.name, '/w', true)).rejects.toThrow('not found');
    }
    expect(await counts()).toEqual({ workflows: 0, schedules: 0, ticks: 0, listeners: 0 });
  });

  test('a workflow that moves while it is disabled', async () => {
    const opened = await workflows.create(ports, namespace.name, '/w', SCHEDULED);
    const meanwhile: Table = {
      get: (all) => table.get(all),
      query: (query) => table.query(query),
      write: async (writes) => {
        await workflows.toggle(ports, opened, false);
        return table.write(writes);
      },
    };
    const moving = tree.rename({ ...ports, table: meanwhile }, namespace.name, '/w', '/moved');
    await expect(moving).rejects.toThrow('changed');
    for (const path of ['/w', '/moved']) await tree.remove(ports, namespace.name, path, true).catch(() => undefined);
    expect(await counts()).toEqual({ workflows: 0, schedules: 0, ticks: 0, listeners: 0 });
  });
});
