import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Json, openClient, rowsOf } from '../access/client.ts';

const LOOP = `
states:
- id: count
  type: noop
  transform: 'jq({n: (.n + 1)})'
  transition: check
- id: check
  type: switch
  conditions: [{condition: 'jq(.n < 6000)', transition: count}]
`;

/** The maximum number of lines of a reply. */
const MAX_LINES = 1_000;

let client: Client;
let log: string;
let total: number;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/long');
  const workflow = '/api/namespaces/long/tree/loop';
  await client.call('PUT', `${workflow}?op=create-workflow`, { body: LOOP });
  const answer = await client.call('POST', `${workflow}?op=wait`, { json: { n: 0 } });
  expect(answer.status, answer.text).toBe(200);
  log = `/api/namespaces/long/instances/${answer.headers.get('service-instance-id')}/logs`;
  total = Number((await read('limit=1'))['pageInfo']?.['total']);
});

afterAll(() => client.close());

const read = async (query: string): Promise<Json> => (await client.call('GET', `${log}?${query}`)).json();
const timesOf = (page: Json): string[] => rowsOf(page['results']).map(({ t }) => String(t));
const textsOf = (page: Json): string[] => rowsOf(page['results']).map(({ msg }) => String(msg));

describe('the log of a workflow that loops', () => {
  test('is read in pages, without duplicate or missing lines', async () => {
    const times: string[] = [];
    for (let offset = 0; offset < total; offset += 900) {
      const page = await read(`limit=900&offset=${offset}`);
      expect(page['pageInfo']).toMatchObject({ total, limit: 900, offset });
      times.push(...timesOf(page));
    }
    expect(total).toBeGreaterThan(3 * MAX_LINES);
    expect(times).toHaveLength(total);
    expect(times.every((t, index) => index === 0 || Date.parse(t) >= Date.parse(times[index - 1] ?? ''))).toBe(true);
    expect(new Set(times).size).toBe(total);
  });

  test('begins and ends at the requested line, in any batch of lines', async () => {
    expect(textsOf(await read('limit=2'))).toEqual([
      'Preparing workflow triggered by api.',
      'Running state logic (step:1) -- count',
    ]);
    expect(textsOf(await read(`offset=${total - 1}`))).toEqual(['Workflow completed.']);
    expect(textsOf(await read(`offset=${total}`))).toEqual([]);
    expect(textsOf(await read(`offset=${total + 5}`))).toEqual([]);
  });

  test('is limited to the maximum size of a reply, and has a next page', async () => {
    const page = await read('');
    expect(rowsOf(page['results'])).toHaveLength(MAX_LINES);
    expect(page['pageInfo']).toMatchObject({ total, hasNextPage: true, hasPreviousPage: false });
    expect(rowsOf((await read(`limit=${total}`))['results'])).toHaveLength(MAX_LINES);
  });

  test('is searched completely, and the page is a part of the matches', async () => {
    const query = 'filter.field=QUERY&filter.type=MATCH&filter.val=::check::';
    const page = await read(`${query}&limit=2&offset=11998`);
    expect(page['pageInfo']).toMatchObject({ offset: 11_998, limit: 2 });
    expect(Number(page['pageInfo']?.['total'])).toBeGreaterThan(11_998);
    for (const row of rowsOf(page['results'])) expect(row['tags']?.['state-id']).toBe('check');
    const none = await read('filter.field=LEVEL&filter.type=STARTING&filter.val=error');
    expect([none['results'], none['pageInfo']?.['total']]).toEqual([[], 0]);
  });

  test('continues after the cursor of a line', async () => {
    const page = await read('first=3');
    const cursor = encodeURIComponent(String(page['pageInfo']?.['endCursor']));
    expect(timesOf(await read(`first=2&after=${cursor}`))).toEqual(timesOf(await read('limit=2&offset=3')));
    expect(timesOf(await read('last=1'))).toEqual(timesOf(await read(`offset=${total - 1}`)));
  });
});
