import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, openClient, rowsOf } from '../service/access/client.ts';
import { answerJson, type FakeServer, openFakeServer } from './fake-server.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const sourceOf = (version: string) => `states:\n- id: a\n  type: noop\n  transform: { version: ${version} }\n`;
const SAVED = '11111111-1111-4111-8111-111111111111';
const LATEST = '22222222-2222-4222-8222-222222222222';
const SOURCES: Readonly<Record<string, string>> = {
  [SAVED]: sourceOf('saved'),
  v1: sourceOf('saved'),
  latest: sourceOf('now'),
};

/** A list as v0.6 writes it, one row a page. */
function pageOf(rows: readonly object[], query: URLSearchParams) {
  const from = Number(query.get('after') ?? 0);
  const edges = rows.slice(from, from + 1).map((node) => ({ node, cursor: String(from + 1) }));
  const hasNextPage = from + 1 < rows.length;
  return {
    totalCount: rows.length,
    pageInfo: { hasNextPage, hasPreviousPage: from > 0, startCursor: String(from), endCursor: String(from + 1) },
    edges,
  };
}

const nodeOf = (path: string, type: string) => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
  parent: '/',
  type,
  expandedType: type,
  attributes: [],
  readOnly: false,
});

function revisionOf(ref: string) {
  const source = SOURCES[ref] ?? '';
  const hash = createHash('sha256').update(source).digest('hex');
  const name = ref === 'latest' ? LATEST : SAVED;
  return {
    createdAt: `2022-01-0${ref === 'latest' ? 2 : 1}T00:00:00Z`,
    hash,
    name,
    source: Buffer.from(source).toString('base64'),
  };
}

const WF = nodeOf('/dir/wf', 'workflow');
const DIR = nodeOf('/dir', 'directory');
const ROOT = { ...nodeOf('/', 'directory'), name: '' };
const TREE = '/api/namespaces/old/tree';

/** The reply of a v0.6 server to a GET; undefined for an unknown path. */
const ANSWERS: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
  '/api/version': () => ({ api: 'v0.6.7', flow: 'v0.6.7', functions: 'v0.6.7' }),
  '/api/namespaces/old/config': () => ({ broadcast: { 'workflow.create': true, 'unknown.key': true } }),
  '/api/namespaces/old/secrets': (query) => ({ secrets: pageOf([{ name: 'a' }, { name: 'b' }], query) }),
  '/api/namespaces/old/vars': (query) => ({
    variables: pageOf(
      ['x', 'y', 'z'].map((name) => ({ name, checksum: '', size: '2', mimeType: '' })),
      query,
    ),
  }),
  '/api/functions/namespaces/old': () => ({ functions: [{ info: { name: 'greeter', image: 'direktiv/greeter' } }] }),
  [`${TREE}/`]: (query) => ({
    namespace: 'old',
    node: ROOT,
    children: pageOf([DIR, nodeOf('/solo', 'workflow')], query),
  }),
  [`${TREE}/dir`]: (query) => ({ namespace: 'old', node: DIR, children: pageOf([WF], query) }),
  [`${TREE}/dir/wf`]: (query) => ({
    namespace: 'old',
    node: WF,
    revision: revisionOf(query.get('ref') ?? 'latest'),
    eventLogging: '',
  }),
  [`${TREE}/dir/wf?op=revisions`]: (query) => pageOf([{ name: SAVED }], query),
  [`${TREE}/dir/wf?op=tags`]: (query) => pageOf([{ name: 'latest' }, { name: 'v1' }], query),
  [`${TREE}/dir/wf?op=router`]: () => ({
    live: false,
    routes: [
      { ref: SAVED, weight: 40 },
      { ref: 'latest', weight: 60 },
    ],
  }),
  [`${TREE}/dir/wf?op=vars`]: (query) => ({ variables: pageOf([{ name: 'data.json', size: '2' }], query) }),
  // A workflow of which the server returns only the source.
  [`${TREE}/solo`]: () => ({ namespace: 'old', node: nodeOf('/solo', 'workflow'), revision: revisionOf('latest') }),
  [`${TREE}/solo?op=vars`]: (query) => ({ variables: pageOf([], query) }),
};

const VALUES = /^\/api\/namespaces\/old\/(vars\/[xyz]|tree\/dir\/wf\?op=var&var=data\.json)$/;

let server: FakeServer;
let client: Client;
let workspace: Workspace;

beforeAll(async () => {
  server = await openFakeServer(({ method, url, headers }, response) => {
    if (headers['direktiv-token'] !== 'tok') return answerJson(response, { code: 401, message: 'no' }, 401);
    if (method !== 'GET') return answerJson(response, {}, 405);
    if (VALUES.test(url))
      return void response.writeHead(200, { 'Content-Type': 'application/x-old' }).end(`[${url.length}]`);
    const { pathname, searchParams } = new URL(url, 'http://x');
    const op = searchParams.get('op');
    const answer = ANSWERS[op === null ? pathname : `${pathname}?op=${op}`];
    if (answer === undefined) return answerJson(response, { code: 404, message: 'nothing here' }, 404);
    answerJson(response, answer(searchParams));
  });
  client = await openClient();
  workspace = await openWorkspace();
});

afterAll(async () => {
  server.close();
  await workspace.clear();
  await client.close();
});

test('a namespace of a server of v0.6 is exported, with notes on what it does not serve', async () => {
  const env = { DIREKTIV_ADDR: server.url, DIREKTIV_AUTH: 'tok' };
  const { code, out, err } = await workspace.weft(['export', 'old'], { env });
  expect(code, err).toBe(0);
  expect(out).toBe('old.tar.gz: 2 workflows with 3 revisions, 2 directories, 4 variables\n');
  const notes = err.split('\n').filter((line) => line.startsWith('note: '));
  expect(notes).toEqual([
    'note: names of registries: the server does not return them (404: nothing here); left out',
    ...['revisions', 'tags', 'router'].map(
      (what) => `note: ${what} of solo: the server does not return them (404: nothing here); left out`,
    ),
  ]);
  expect(server.asked.every(({ method }) => method === 'GET')).toBe(true);
});

test('and imported into Weft', async () => {
  const place = ['--url', client.url, '--key', client.key];
  const { code, out, err } = await workspace.weft(['import', 'old.tar.gz', 'new', '--yes', ...place]);
  expect(code, out + err).toBe(0);
  expect(out).toContain('3 by hand');
  const get = async (path: string) => client.call('GET', `/api/namespaces/new/${path}`);
  expect((await get('vars/y')).headers.get('content-type')).toBe('application/x-old');
  expect((await get('tree/dir/wf?op=var&var=data.json')).text).toMatch(/^\[\d+\]$/);
  expect((await get('tree/dir/wf?ref=v1')).json()['revision']?.['source']).toBe(revisionOf('v1').source);
  const router = (await get('tree/dir/wf?op=router')).json();
  const saved = rowsOf((await get('tree/dir/wf?op=revisions')).json()['results'])[0]?.['name'];
  expect(router).toMatchObject({
    live: false,
    routes: [
      { ref: 'latest', weight: 60 },
      { ref: saved, weight: 40 },
    ],
  });
  expect((await get('config')).json()['broadcast']).toMatchObject({ 'workflow.create': true });
  expect((await get('tree/solo?op=wait')).json()).toEqual({ version: 'now' });
  expect((await workspace.weft(['import', 'old.tar.gz', 'new', '--yes', ...place])).out).toMatch(
    /\n\d+ unchanged, 3 by hand\n$/,
  );
});
