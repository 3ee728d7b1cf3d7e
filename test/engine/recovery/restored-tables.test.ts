import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { batchesOf } from '../../../lib/domain/storage/batches.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import type { Item, TableName } from '../../../lib/ports/table.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

const TABLES = ['catalog', 'runs', 'journal'] as const satisfies readonly TableName[];
/** The tables of the executions' journal: a new stack of the service has none of what they held. */
const EXECUTIONS = ['machines', 'executions', 'threads', 'owed'];

const SOURCES = {
  main: `functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: set, type: setter, variables: [{key: n, scope: namespace, value: 1}], transition: one}
- {id: one, type: delay, duration: PT10S, transition: go}
- {id: go, type: foreach, array: 'jq([{n: 1}, {n: 2}])', action: {function: kid}, transition: two}
- {id: two, type: delay, duration: PT10S}
`,
  kid: 'states: [{id: nap, type: delay, duration: PT10S}]\n',
  paid: 'timeouts: {interrupt: P9D}\nstates: [{id: a, type: consumeEvent, event: {type: paid}}]\n',
  noticed: 'start: {type: event, event: {type: paid}}\nstates: [{id: a, type: noop}]\n',
  quick: 'states: [{id: a, type: noop}]\n',
};

async function itemsOf({ inventory }: LocalTable, table: TableName): Promise<Item[]> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const page = await inventory.page(table, next);
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return items;
}

/** Makes a table as it was. */
async function restore(database: LocalTable, table: TableName, items: readonly Item[]): Promise<void> {
  for (const batch of batchesOf(await itemsOf(database, table))) {
    await database.table.write(batch.map(({ pk, sk }) => ({ do: 'delete', key: { table, pk, sk } })));
  }
  for (const batch of batchesOf(items)) {
    await database.table.write(batch.map((item) => ({ do: 'put', table, item })));
  }
}

let database: LocalTable;
beforeEach(async () => {
  database = await openDatabase();
});
afterEach(() => database.close());

async function send(world: World): Promise<void> {
  const namespace = await namespaces.need(world.reliable, world.namespace);
  await receive(world.reliable, namespace, { specversion: '1.0', id: 'p1', source: 'shop', type: 'paid' });
  await world.deliver();
}

/** The instants at which tables are copied: before and after a wait of `main` ended, and while its calls wait. */
const ORDERS: readonly (readonly TableName[][])[] = [
  [['catalog', 'runs', 'journal']],
  [['catalog'], ['runs', 'journal']],
  [['runs'], ['journal', 'catalog']],
  [['journal'], ['catalog', 'runs']],
  [['runs', 'catalog'], ['journal']],
  [['catalog'], ['runs'], ['journal']],
  [['journal'], ['runs'], ['catalog']],
];

describe('tables that are restored', () => {
  test.each(ORDERS.map((order) => [order.map((names) => names.join(' and ')).join(', then '), order] as const))(
    'to instants some seconds apart (%s): the reconciler completes each run that was pending',
    async (_name, order) => {
      for (const after of [1, 9, 15, 25]) {
        const world = new World(database);
        const copies = new Map<TableName, Item[]>();
        try {
          await world.store(SOURCES);
          await world.execute('main', '{}');
          await world.execute('paid', '{}');
          await world.pass(world.time.clock.now() + after * 1000);
          for (const names of order) {
            for (const name of names) copies.set(name, await itemsOf(database, name));
            await world.pass(world.time.clock.now() + 2000);
          }
          await world.execute('quick', '{}');
          await send(world);
          await world.pass();
          for (const name of TABLES) await restore(database, name, copies.get(name) ?? []);
          await world.restartWithout(...EXECUTIONS);
          await world.reconcileLater();
          await world.pass(world.time.clock.now() + 60_000);
          // The event came after the instant of the restore: its sender sends it again.
          await send(world);
          await world.execute('quick', '{}');
          await world.pass();
          const statuses = (await runsOf(world)).map(({ path, status }) => `${path} ${status}`).sort();
          const kids = ['/kid complete', '/kid complete'];
          const others = ['/main complete', '/noticed complete', '/paid complete', '/quick complete'];
          const open = unfinishedOf(world);
          expect({ after, statuses, open }).toEqual({ after, statuses: [...kids, ...others], open: [] });
        } finally {
          await world.close();
        }
      }
    },
  );
});
