import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { candidatesOf } from '../../../lib/domain/events/candidates.ts';
import * as listenerList from '../../../lib/domain/events/listener-list.ts';
import * as listeners from '../../../lib/domain/events/listeners.ts';
import { toListRequest } from '../../../lib/domain/storage/list-requests.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { type Filter, matches } from '../../../lib/events/matching.ts';
import type { Table } from '../../../lib/ports/table.ts';
import fc from '../../fast-check.ts';

const { table, close } = await openLocalTable();
/** The same table, as on AWS: whether a partition has changed is not known without a read. */
const plain: Table = {
  get: (keys) => table.get(keys),
  query: (query) => table.query(query),
  write: (writes) => table.write(writes),
};
const DETAILS = { wait: 1, mode: 'simple', path: '/w', created: 0 } as const;

afterEach(() => vi.restoreAllMocks());
afterAll(close);

const ownerOf = (namespaceId: string, id: string): listeners.Owner => ({ namespaceId, kind: 'wait', id });

async function add(namespaceId: string, id: string, context: Filter['context'], created = 0): Promise<void> {
  const filters = [{ type: 't', context }];
  await listeners.storeAttributes({ table }, namespaceId, filters);
  await table.write(listeners.toWrites(ownerOf(namespaceId, id), filters, { ...DETAILS, created }));
}

const eventWith = (attributes: object): CloudEvent =>
  ({ specversion: '1.0', id: '1', source: 'bench', type: 't', ...attributes }) as CloudEvent;

async function ownersOf(port: Table, namespaceId: string, event: CloudEvent, after = ''): Promise<string[]> {
  const found: string[] = [];
  for await (const { matching } of candidatesOf({ table: port }, namespaceId, event, after)) {
    found.push(...matching.map((one) => one.owner));
  }
  return found;
}

test('the partition of a type is kept in memory until a listener of it is added or deleted', async () => {
  const query = vi.spyOn(table, 'query');
  const matching = () => ownersOf(table, 'kept', eventWith({}));
  await add('kept', 'a', {});
  expect(await matching()).toEqual(['a']);
  expect(await matching()).toEqual(['a']);
  expect(query).toHaveBeenCalledTimes(1);
  await add('kept', 'b', { n: 'x*' });
  expect(await matching()).toEqual(['a']);
  await add('kept', 'c', {});
  expect(await matching()).toEqual(['a', 'c']);
  await table.write(listeners.toDeletions(ownerOf('kept', 'a'), [{ type: 't', context: {} }]));
  expect(await matching()).toEqual(['c']);
});

let spaces = 0;
const names = fc.constantFrom('n', 'N', 'm', 'source', 'subject', 'data', 'constructor');
const values = fc.constantFrom<unknown>('a', 'b', 'a*', '*', '', 'bench', 1, true, null);
const contexts = fc.dictionary(names, values, { maxKeys: 3 });

test('finds exactly the listeners that match, each once, also after any of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(contexts, { maxLength: 12 }), contexts, async (filters, attributes) => {
      spaces += 1;
      const space = `space-${spaces}`;
      for (const [index, context] of filters.entries()) await add(space, `run-${index}`, context);
      const event = eventWith(attributes);
      const wanted = filters.flatMap((context, index) =>
        matches({ type: 't', context }, event) ? [`run-${index}`] : [],
      );
      const found = await ownersOf(table, space, event);
      expect([...found].sort()).toEqual([...wanted].sort());
      expect(await ownersOf(table, space, event)).toEqual(found);
      expect(await ownersOf(plain, space, event)).toEqual(found);
      for await (const { matching, last } of candidatesOf({ table: plain }, space, event)) {
        const rest = found.slice(found.indexOf(matching.at(-1)?.owner ?? '') + 1);
        expect(await ownersOf(plain, space, event, last)).toEqual(rest);
      }
    }),
    { numRuns: 60 },
  );
});

/** The queries of an event and the items that they read. */
async function costOf(namespaceId: string, event: CloudEvent): Promise<{ queries: number; items: number }> {
  const cost = { queries: 0, items: 0 };
  const counting: Table = {
    ...plain,
    query: async (query) => {
      const page = await table.query(query);
      cost.queries += 1;
      cost.items += page.items.length;
      return page;
    },
  };
  await ownersOf(counting, namespaceId, event);
  return cost;
}

test('an event with one match costs the same among 1,000 listeners of its type as without them', async () => {
  await add('alone', 'wanted', { n: 'go' });
  await add('crowd', 'wanted', { n: 'go' });
  for (let n = 1; n < 1000; n += 1) await add('crowd', `other-${n}`, { n: `other-${n}` });
  const alone = await costOf('alone', eventWith({ n: 'go' }));
  expect(alone).toEqual({ queries: 2, items: 2 });
  expect(await costOf('crowd', eventWith({ n: 'go' }))).toEqual(alone);
});

test('exactly 500 listeners that match cost one query', async () => {
  for (let n = 0; n < 500; n += 1) await add('full', `run-${n}`, {});
  expect(await costOf('full', eventWith({}))).toEqual({ queries: 1, items: 500 });
});

test('a list of listeners reads the page only, in the order of their creation', async () => {
  for (let n = 0; n < 30; n += 1) await add('listed', `run-${n}`, { n: String(n) }, 1000 + ((n * 7) % 30));
  const get = vi.spyOn(table, 'get');
  const page = await listenerList.list(
    { table },
    { id: 'listed', spread: undefined },
    toListRequest({ limit: ['3'], offset: ['10'] }),
  );
  expect(page.results.map(({ createdAt }) => Date.parse(createdAt))).toEqual([1010, 1011, 1012]);
  expect(page.pageInfo).toMatchObject({ total: 30, hasNextPage: true, hasPreviousPage: true });
  expect(get.mock.calls.map(([keys]) => keys.length)).toEqual([3]);
  const last = await listenerList.list(
    { table },
    { id: 'listed', spread: undefined },
    toListRequest({ limit: ['1'], 'order.field': ['UPDATED'], 'order.direction': ['DESC'] }),
  );
  expect(last.results.map(({ createdAt }) => Date.parse(createdAt))).toEqual([1029]);
});

test('an owner of several filters is one record, and all its listeners go with the namespace', async () => {
  const filters = [
    { type: 't', context: { n: '1' } },
    { type: 'u', context: {} },
  ];
  await listeners.storeAttributes({ table }, 'several', filters);
  await table.write(listeners.toWrites(ownerOf('several', 'run'), filters, { ...DETAILS, mode: 'and' }));
  const { results } = await listenerList.list({ table }, { id: 'several', spread: undefined }, toListRequest({}));
  expect(results.map(({ mode, events }) => [mode, events.map(({ type }) => type)])).toEqual([['and', ['t', 'u']]]);
  await listenerList.removeAll({ table }, { id: 'several', spread: undefined });
  expect(await ownersOf(plain, 'several', eventWith({ n: '1' }))).toEqual([]);
  expect(await ownersOf(plain, 'several', { ...eventWith({}), type: 'u' } as CloudEvent)).toEqual([]);
});
