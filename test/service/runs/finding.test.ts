import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../../cli/workspace.ts';
import { type Client, type Json, openClient, rowsOf } from '../access/client.ts';

const DEMO = '/api/namespaces/finding';

const WORKFLOWS: Readonly<Record<string, string>> = {
  order: `labels: {team: shop, order: jq(.id), long: 9007199254740993, none: jq(.nothing)}
states:
- id: check
  type: switch
  conditions: [{condition: jq(.bad), transition: fail}]
- {id: fail, type: error, error: order.refused, message: 'Order {} is refused', args: []}
`,
  quiet: `record: flow
limits: {transitions: 5}
states:
- {id: one, type: noop, transform: 'jq({n: 1})', transition: two}
- {id: two, type: noop, transition: one}
`,
  nap: 'states: [{id: nap, type: delay, duration: PT1S}]\n',
};

let client: Client;
let workspace: Workspace;
const ids: string[] = [];

beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client, 'finding');
  await client.call('PUT', DEMO);
  for (const [name, body] of Object.entries(WORKFLOWS)) {
    expect((await client.call('PUT', `${DEMO}/tree/${name}?op=create-workflow`, { body })).status).toBe(200);
  }
  for (let n = 0; n < 9; n += 1) {
    ids.push(await start('order', { id: `o-${n}`, bad: n % 3 === 0 }, n === 8 ? '&label.team=other' : ''));
  }
});

afterAll(async () => {
  await workspace.clear();
  await client.close();
});

async function start(name: string, input: object, query = ''): Promise<string> {
  const reply = await client.call('POST', `${DEMO}/tree/${name}?op=wait${query}`, { json: input });
  return String(reply.headers.get('service-instance-id'));
}

const filter = (field: string, type: string, val: string): string =>
  `&filter.field=${field}&filter.type=${type}&filter.val=${encodeURIComponent(val)}`;

const list = (query: string) => client.call('GET', `${DEMO}/instances?${query}`);

async function found(query: string): Promise<number[]> {
  const { instances } = (await list(query)).json();
  return rowsOf(instances?.['results']).map(({ id }) => ids.indexOf(String(id)));
}

describe('runs are found', () => {
  test('by the labels of their workflow and of their start; a label without a value is left out', async () => {
    const shown = (await client.call('GET', `${DEMO}/instances/${ids[8]}`)).json();
    expect(shown['labels']).toEqual({ team: 'other', order: 'o-8', long: '9007199254740993' });
    expect(await found(filter('LABEL', 'MATCH', 'team=shop'))).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    expect(await found(filter('LABEL', 'MATCH', 'order=o-4') + filter('LABEL', 'MATCH', 'team'))).toEqual([4]);
    expect(await found(filter('LABEL', 'MATCH', 'team=nobody'))).toEqual([]);
    const log = (await client.call('GET', `${DEMO}/instances/${ids[8]}/logs`)).json();
    expect(JSON.stringify(log)).toContain("Unable to set a label: the label 'none'");
  });

  test('and returns their labels on request, of at most 200 runs', async () => {
    const { instances } = (await client.call('GET', `${DEMO}/instances?labels=true&limit=2`)).json();
    expect(rowsOf(instances?.['results']).map(({ labels }) => labels?.['team'])).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
    const plain = (await client.call('GET', `${DEMO}/instances?limit=2`)).json();
    expect(JSON.stringify(plain)).not.toContain('labels');
  });

  test('by code, text of the message, status and label together', async () => {
    expect(await found(filter('CODE', 'MATCH', 'order.refused'))).toEqual([6, 3, 0]);
    expect(await found(filter('CODE', 'CONTAINS', 'refus') + filter('LABEL', 'MATCH', 'order=o-3'))).toEqual([3]);
    expect(await found(filter('MESSAGE', 'CONTAINS', 'IS REFUSED') + filter('STATUS', 'MATCH', 'failed'))).toEqual([
      6, 3, 0,
    ]);
    expect(await found(filter('MESSAGE', 'CONTAINS', 'elephant'))).toEqual([]);
  });

  test('by the time of their end and by their duration', async () => {
    const nap = await start('nap', {});
    const results = async (query: string) => rowsOf((await list(query)).json()['instances']?.['results']);
    expect(await results(filter('DURATION', 'LONGER', 'PT0S') + filter('AS', 'WORKFLOW', 'nap'))).toMatchObject([
      { id: nap },
    ]);
    expect(await results(filter('DURATION', 'LONGER', 'PT1H'))).toEqual([]);
    const end = String((await client.call('GET', `${DEMO}/instances/${nap}`)).json()['instance']?.['updatedAt']);
    const later = new Date(Date.parse(end) + 60_000).toISOString();
    expect(await results(filter('ENDED', 'AFTER', later))).toEqual([]);
    expect(await results(filter('ENDED', 'BEFORE', later) + filter('AS', 'WORKFLOW', 'nap'))).toMatchObject([
      { id: nap },
    ]);
  });

  test('page by page with a cursor, each run once, also while new ones start', async () => {
    const query = `limit=2${filter('LABEL', 'MATCH', 'order')}`;
    const seen: number[] = [];
    for (let after = ''; ; ) {
      const { instances } = (await list(`${query}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`)).json();
      const page = rowsOf(instances?.['results']).map(({ id }) => ids.indexOf(String(id)));
      expect(page.length).toBeLessThanOrEqual(2);
      seen.push(...page);
      if (after === '') await start('order', { id: 'late' });
      const info = instances?.['pageInfo'] as Json;
      if ((info['hasNextPage'] as unknown) !== true) break;
      after = String(info['endCursor']);
    }
    expect(seen).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  test('by options of the command line', async () => {
    const listed = await workspace.weft(['instances', '--label', 'order=o-5', '--json']);
    expect(rowsOf(listed.json()).map(({ id }) => String(id))).toEqual([ids[5]]);
    const failed = await workspace.weft([
      'instances',
      '--code',
      'refused',
      '--message',
      'order',
      '--limit',
      '2',
      '--json',
    ]);
    expect(rowsOf(failed.json()).map(({ id }) => String(id))).toEqual([ids[6], ids[3]]);
    const started = await workspace.weft(['exec', 'order', 'id=o-x', 'bad:=false', '--label', 'by=hand', '--quiet']);
    expect(started.code, started.err).toBe(0);
    const mine = await workspace.weft(['instances', '--label', 'by', '--json']);
    expect(rowsOf(mine.json())).toHaveLength(1);
    expect((await workspace.weft(['instances', '--ended-since', 'noon'])).err).toContain("--ended-since is 'noon'");
  });

  test('to repeat them: a repetition has the labels of its run', async () => {
    const reply = await client.call(
      'POST',
      `${DEMO}/instances?op=rerun${filter('STATUS', 'MATCH', 'failed')}${filter('LABEL', 'MATCH', 'order=o-3')}`,
      { json: { dryRun: false } },
    );
    const [row] = rowsOf(reply.json()['instances']);
    expect(row).toMatchObject({ instance: ids[3] });
    const again = (await client.call('GET', `${DEMO}/instances/${String(row?.['rerun'])}`)).json();
    expect(again['labels']).toMatchObject({ team: 'shop', order: 'o-3' });
  });
});

describe('a mistake in a filter or a label is refused:', () => {
  test.each([
    [filter('COLOUR', 'MATCH', 'red'), "unknown filter 'COLOUR/MATCH'; the filters are AS/CONTAINS"],
    [filter('ENDED', 'AFTER', 'noon'), "'noon' is not an RFC 3339 time"],
    [filter('DURATION', 'LONGER', '5s'), "'5s' is no duration"],
  ])('%s', async (query, text) => {
    const reply = await list(query);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(text)]);
  });

  test.each([
    ['label.=x', 'is no name of a label'],
    ['label.a%20b=x', 'is no name of a label'],
    [`label.a=${'x'.repeat(201)}`, 'has 201 characters'],
  ])('?%s', async (query, text) => {
    const reply = await client.call('POST', `${DEMO}/tree/order?op=execute&${query}`, { json: {} });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(text)]);
  });

  test('also in a workflow', async () => {
    const body = 'labels: {"a b": 1}\nstates: [{id: a, type: noop}]\n';
    const reply = await client.call('PUT', `${DEMO}/tree/wrong?op=create-workflow`, { body });
    expect([reply.status, reply.text]).toEqual([406, expect.stringContaining("'a b' is no name of a label")]);
  });
});

test('a workflow sets what its record keeps, and lowers the limits of a run', async () => {
  const id = await start('quiet', {});
  const timeline = (await client.call('GET', `${DEMO}/instances/${id}/timeline`)).json();
  expect(timeline).toMatchObject({ record: 'flow', instance: { errorCode: 'service.limits.transitions' } });
  expect(JSON.stringify(timeline['steps'])).not.toContain('change');
  await client.call('PATCH', `${DEMO}/config`, { json: { limits: { transitions: 3 } } });
  const lower = (await client.call('GET', `${DEMO}/instances/${await start('quiet', {})}`)).json();
  expect(lower['instance']).toMatchObject({ errorMessage: expect.stringContaining('entered 3 states') });
});
