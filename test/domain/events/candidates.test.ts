import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { type Candidates, candidatesOf, someOfType } from '../../../lib/domain/events/candidates.ts';
import * as listenedTypes from '../../../lib/domain/events/listened-types.ts';
import * as listenerList from '../../../lib/domain/events/listener-list.ts';
import * as listeners from '../../../lib/domain/events/listeners.ts';
import * as listenerKeys from '../../../lib/domain/storage/keys/listener-keys.ts';
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

const ownerOf = (namespaceId: string, id: string, partition?: number): listeners.Owner => ({
  namespaceId,
  kind: 'wait',
  id,
  partition,
});

async function store(owner: listeners.Owner, filters: readonly Filter[], details = {}): Promise<void> {
  await listenedTypes.store({ table }, owner, filters);
  await table.write(listeners.toWrites(owner, filters, { ...DETAILS, ...details }));
}

const add = (namespaceId: string, id: string, context: Filter['context'], created = 0): Promise<void> =>
  store(ownerOf(namespaceId, id), [{ type: 't', context }], { created });

/** Adds a listener in a partition of its type. */
const addTo = (partition: number, namespaceId: string, id: string, context: Filter['context'] = {}): Promise<void> =>
  store(ownerOf(namespaceId, id, partition), [{ type: 't', context }]);

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
const partitions = fc.nat({ max: 15 });

test('finds exactly the listeners that match, each once, also after any of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(contexts, partitions), { maxLength: 12 }), contexts, async (all, attributes) => {
      spaces += 1;
      const space = `space-${spaces}`;
      for (const [index, [context, partition]] of all.entries()) await addTo(partition, space, `run-${index}`, context);
      const event = eventWith(attributes);
      const wanted = all.flatMap(([context], index) =>
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

test.each([1, 4])(
  'a list of listeners in %d partitions is paged by cursors, and reads the page only',
  async (count) => {
    const spread = count === 1 ? undefined : [{ from: 0, partitions: count }];
    const home = { id: `cursors-${count}`, spread };
    const filters = [{ type: 'order', context: { n: '1' } }];
    for (let n = 0; n < 30; n += 1) {
      const owner = { ...ownerOf(home.id, `run-${n}`), spread };
      await listenedTypes.store({ table }, owner, filters);
      await table.write(listeners.toWrites(owner, filters, { ...DETAILS, created: 1000 + ((n * 7) % 30) }));
    }
    let read = 0;
    const counting: Table = {
      ...plain,
      query: async (query) => {
        const page = await table.query(query);
        read += query.only === undefined ? page.items.length : 0;
        return page;
      },
    };
    const page = async (query: Readonly<Record<string, readonly string[]>>) => {
      read = 0;
      const { results, pageInfo } = await listenerList.list({ table: counting }, home, toListRequest(query));
      return { created: results.map(({ createdAt }) => Date.parse(createdAt)), ...pageInfo };
    };
    const first = await page({ first: ['3'] });
    expect(first).toMatchObject({ created: [1000, 1001, 1002], total: 30, hasPreviousPage: false, hasNextPage: true });
    // Of several partitions, any may have all rows of the page, and the next one.
    const most = count === 1 ? 3 : (3 + 1) * count;
    expect(read).toBeLessThanOrEqual(most);
    await listeners.removeAll({ table }, { ...ownerOf(home.id, `run-${runAt(1002)}`), spread }, filters, DETAILS.wait);
    const second = await page({ first: ['3'], after: [first.endCursor] });
    expect(second).toMatchObject({ created: [1003, 1004, 1005], total: 29, hasPreviousPage: true });
    expect(read).toBeLessThanOrEqual(most);
    expect(await page({ last: ['2'], before: [second.startCursor] })).toMatchObject({ created: [1000, 1001] });
    const end = await page({ last: ['2'] });
    expect(end).toMatchObject({ created: [1028, 1029], hasNextPage: false });
    const down = { 'order.field': ['UPDATED'], 'order.direction': ['DESC'] };
    expect(await page({ ...down, first: ['2'], after: [end.startCursor] })).toMatchObject({ created: [1027, 1026] });
  },
);

/** The number of the run whose listener was created then, in the lists above. */
const runAt = (created: number): number =>
  Array.from({ length: 30 }, (_, n) => n).findIndex((n) => 1000 + ((n * 7) % 30) === created);

test('an owner of several filters is one record, and all its listeners go with the namespace', async () => {
  const filters = [
    { type: 't', context: { n: '1' } },
    { type: 'u', context: {} },
  ];
  await store(ownerOf('several', 'run'), filters, { mode: 'and' });
  const { results } = await listenerList.list({ table }, { id: 'several', spread: undefined }, toListRequest({}));
  expect(results.map(({ mode, events }) => [mode, events.map(({ type }) => type)])).toEqual([['and', ['t', 'u']]]);
  await listenerList.removeAll({ table }, { id: 'several', spread: undefined });
  expect(await ownersOf(plain, 'several', eventWith({ n: '1' }))).toEqual([]);
  expect(await ownersOf(plain, 'several', { ...eventWith({}), type: 'u' } as CloudEvent)).toEqual([]);
});

describe('a type whose listeners are spread over partitions', () => {
  test('costs a query of each partition that it has, and one as long as nothing is spread', async () => {
    for (let n = 0; n < 8; n += 1) await add('narrow', `run-${n}`, {});
    expect(await costOf('narrow', eventWith({}))).toEqual({ queries: 1, items: 8 });
    for (let n = 0; n < 8; n += 1) await addTo(n, 'wide', `run-${n}`);
    const { queries } = await costOf('wide', eventWith({}));
    expect(queries).toBe(8);
    expect((await ownersOf(plain, 'wide', eventWith({}))).sort()).toEqual(
      (await ownersOf(plain, 'narrow', eventWith({}))).sort(),
    );
  });

  test('stores the number of its partitions once, where many processes see it for the first time', async () => {
    const written = vi.spyOn(table, 'write');
    const spread = [{ from: 0, partitions: 16 }];
    const owner = { ...ownerOf('counted', 'run', 3), spread };
    for (let process = 0; process < 5; process += 1) {
      await listenedTypes.store({ table: { ...table } }, owner, [{ type: 't', context: {} }]);
    }
    expect(written).toHaveBeenCalledTimes(1);
    expect(await listenedTypes.read({ table }, 'counted', 't')).toEqual({ attributes: [], partitions: 16 });
  });

  test.each([
    [1, 2],
    [2, 4],
    [4, 16],
  ])('is read on from any position while its %d partitions become %d', async (before, after) => {
    const event = eventWith({ n: 'x' });
    for (let stop = 0; stop <= before; stop += 1) {
      const space = `growing-${before}-${stop}`;
      for (let n = 0; n < 8; n += 1) await addTo(n % before, space, `old-${n}`);
      await addTo(before - 1, space, 'old-exact', { n: 'x' });
      const parts: Candidates[] = [];
      for await (const part of candidatesOf({ table: plain }, space, event)) parts.push(part);
      expect(parts).toHaveLength(before + 1);
      for (let n = 0; n < after; n += 1) await addTo(n, space, `new-${n}`);
      const rest = await ownersOf(plain, space, event, parts[stop]?.last);
      const later = parts.slice(stop + 1).flatMap(({ matching }) => matching.map(({ owner }) => owner));
      expect(rest.filter((id) => id.startsWith('old'))).toEqual(later);
      expect(new Set(rest).size).toBe(rest.length);
    }
  });

  test('is explained, and deleted with its namespace, in all of its partitions', async () => {
    const filters = [
      { type: 't', context: { n: '1' } },
      { type: 'u', context: {} },
      { type: 't', context: { n: 'x*' } },
    ];
    await store(ownerOf('purged', 'several', 5), filters, { mode: 'and' });
    for (let n = 0; n < 16; n += 1) await addTo(n, 'purged', `run-${n}`);
    expect(await someOfType({ table }, 'purged', 't', 100)).toHaveLength(18);
    expect(await someOfType({ table }, 'purged', 't', 7)).toHaveLength(7);
    await listenerList.removeAll({ table }, { id: 'purged', spread: undefined });
    for (const type of ['t', 'u']) {
      expect(await someOfType({ table: plain }, 'purged', type, 100)).toEqual([]);
      for (let n = 0; n < 16; n += 1) {
        expect((await table.query(listenerKeys.ofType('purged', type, n))).items).toEqual([]);
      }
    }
  });

  test('has listeners of its own where another type is named like one of its partitions', async () => {
    await addTo(1, 'alike', 'one');
    await store(ownerOf('alike', 'other'), [{ type: 't#1', context: {} }]);
    expect(await ownersOf(plain, 'alike', eventWith({}))).toEqual(['one']);
    expect(await ownersOf(plain, 'alike', eventWith({ type: 't#1' }))).toEqual(['other']);
  });
});
