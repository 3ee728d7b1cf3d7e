import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient, rowsOf } from '../access/client.ts';
import { Home, textsOf, timesOf } from './home.ts';

let client: Client;

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

describe('a page of a log', () => {
  let home: Home;
  let all: string[];
  const ROWS = 12;

  beforeAll(async () => {
    home = await Home.open(client, 'pages');
    await home.workflow('w');
    for (let row = 1; row < ROWS; row += 3) {
      await home.put('/vars/k', String(row));
      await home.run('w');
      await home.send(`e-${row}`, 't');
    }
    all = await home.texts();
  });

  test('has the lines of all sources in the order of time', async () => {
    const log = await home.log();
    const times = timesOf(log).map((t) => Date.parse(t));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(all.map((text) => text.split(' ')[0])).toEqual([
      'Created',
      ...Array.from({ length: 4 }, (_, index) => [index === 0 ? 'Created' : 'Updated', 'Workflow', 'Event']).flat(),
    ]);
  });

  test('begins at the offset, ends at the limit, and has the total number', async () => {
    const seen: string[] = [];
    for (let offset = 0; offset < all.length + 3; offset += 5) {
      const page = await home.log(`?limit=5&offset=${offset}`);
      expect(page['pageInfo']).toMatchObject({ limit: 5, offset, total: all.length, order: [], filter: [] });
      seen.push(...textsOf(page));
    }
    expect(seen).toEqual(all);
  });

  test('is in descending order if the newest lines are requested first', async () => {
    const order = 'order.field=TIMESTAMP&order.direction=DESC';
    expect(await home.texts(`?${order}`)).toEqual([...all].reverse());
    expect(await home.texts(`?${order}&limit=2&offset=1`)).toEqual([...all].reverse().slice(1, 3));
    expect(await home.texts('?order.field=TIMESTAMP&order.direction=ASC&limit=2')).toEqual(all.slice(0, 2));
  });

  test('is followed by the cursor of an older client', async () => {
    const page = await home.log('?first=4');
    const cursor = encodeURIComponent(String(page['pageInfo']?.['endCursor']));
    const edges = rowsOf((await home.log(`?first=4&after=${cursor}`))['edges']);
    expect(edges.map(({ node }) => node?.['msg'])).toEqual(all.slice(4, 8));
    expect(await home.texts('?last=3')).toEqual(all.slice(-3));
  });

  test('has only the lines that pass the filters', async () => {
    const instance = rowsOf((await home.log())['results']).find(({ msg }) => String(msg).startsWith('Workflow'));
    const id = String(instance?.['tags']?.['instance-id']);
    const filter = (field: string, type: string, value: string) =>
      `?filter.field=${field}&filter.type=${type}&filter.val=${value}`;
    expect(await home.log(filter('ID', 'MATCH', id))).toMatchObject({
      results: [{ tags: { 'instance-id': id } }],
      pageInfo: { total: 1 },
    });
    expect(await home.texts(filter('QUERY', 'MATCH', 'w::::'))).toHaveLength(4);
    expect(await home.texts(`${filter('QUERY', 'MATCH', 'w::::')}&limit=3&offset=2`)).toHaveLength(2);
    expect(await home.texts(filter('QUERY', 'MATCH', 'v::::'))).toEqual([]);
    expect(await home.texts(filter('LEVEL', 'STARTING', 'error'))).toEqual([]);
    expect(await home.texts(filter('LEVEL', 'STARTING', 'info'))).toEqual(all);
    expect(await home.texts(filter('COLOUR', 'MATCH', 'red'))).toEqual(all);
  });

  test.each(['limit=x', 'offset=1e3', 'order.field=A&order.field=B', 'filter.field=ID'])(
    'is rejected for %s',
    async (query) => {
      const answer = await client.call('GET', `/api/namespaces/pages/logs?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.headers.get('content-type')).toContain('text/plain');
    },
  );
});

describe('the log of an instance', () => {
  test('can be in descending order, and be filtered by level and by query', async () => {
    const home = await Home.open(client, 'of-an-instance');
    await home.workflow('w');
    const log = `/instances/${await home.run('w')}/logs`;
    const all = textsOf(await home.get(log));
    const order = 'order.field=TIMESTAMP&order.direction=DESC';
    expect(textsOf(await home.get(`${log}?${order}`))).toEqual([...all].reverse());
    expect(textsOf(await home.get(`${log}?${order}&limit=1&offset=1`))).toEqual([all.at(-2)]);
    const query = 'filter.field=QUERY&filter.type=MATCH&filter.val=w::a::';
    const ofState = textsOf(await home.get(`${log}?${query}`));
    expect(ofState).toEqual(['Running state logic (step:1) -- a', 'Workflow completed.']);
    const none = 'filter.field=QUERY&filter.type=MATCH&filter.val=w::b::';
    expect(textsOf(await home.get(`${log}?${none}`))).toEqual([]);
    expect(textsOf(await home.get(`${log}?${query}&${order}&limit=1`))).toEqual(ofState.slice(-1));
  });
});
