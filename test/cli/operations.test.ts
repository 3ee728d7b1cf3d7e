import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { matchRoute } from '../../lib/api/http/match.ts';
import { type IdsServedBy, rows } from '../../lib/api/registry/routes/index.ts';
import { type Client, openClient } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/** The operations on workflows: all routes below the tree of a namespace. */
type Operation = IdsServedBy<'tree'>;

/** How a user of the command line does an operation. */
type Way =
  /** By these command lines, of which one calls the operation; the last one prints this. */
  | { readonly by: readonly string[]; readonly prints: RegExp }
  /** By the commands of another operation, which does the same or answers more. */
  | { readonly as: Operation }
  /** Not at all: the service refuses it with this message. */
  | { readonly refused: string };

const NOOP = 'states:\n- {id: a, type: noop}\n';
const OTHER = 'states:\n- {id: b, type: noop}\n';

const UUID = '[0-9a-f]{8}-[0-9a-f-]{27}';
const NO_MIRRORS = { refused: 'not a git mirror' } as const;

/**
 * Every operation with its command. `one` has two revisions, of which the first is saved and has the tags v1 and keep; `other.yaml` has
 * another text. tsc names an operation without a row.
 */
const WAYS: Readonly<Record<Operation, Way>> = {
  getNode: { by: ['workflows get one'], prints: /id: b/ },
  createDirectory: { by: ['push folder deep'], prints: /created +workflow deep\/new/ },
  deleteNode: { by: ['workflows delete one --yes'], prints: /^deleted one$/m },
  createWorkflow: { by: ['push other.yaml'], prints: /created +workflow other/ },
  updateWorkflow: { by: ['push other.yaml one'], prints: /updated +workflow one/ },
  validateWorkflow: { by: ['workflows check one'], prints: /^one latest: no problems$/m },
  toggleWorkflow: { by: ['workflows disable one'], prints: /^disabled one$/m },
  setEventLogging: {
    by: ['workflows logger one audit', 'workflows logger one'],
    prints: /^audit$/m,
  },
  renameNode: { by: ['workflows move one two', 'workflows list'], prints: /^two +enabled/m },
  createNodeAttributes: { by: ['workflows attributes one --add team-a'], prints: /^team-a$/m },
  deleteNodeAttributes: {
    by: ['workflows attributes one --add team-a --add team-b', 'workflows attributes one --remove team-a'],
    prints: /^team-b\n$/,
  },
  getMachine: { by: ['workflows machine one'], prints: /"StartAt": "b"/ },
  listDeletions: { by: ['workflows delete one --yes', 'workflows deleted'], prints: /^one +\d{4}-/m },
  restoreNode: { by: ['workflows delete one --yes', 'workflows restore one'], prints: /^restored one$/m },
  listRefs: { as: 'listHistory' },
  listRevisions: { as: 'listHistory' },
  listTags: { by: ['workflows tag one'], prints: new RegExp(`^v1 +${UUID}$`, 'm') },
  listHistory: { by: ['workflows history one'], prints: /latest\n.*v1/ },
  saveWorkflow: { by: ['workflows save one'], prints: new RegExp(`^one: saved the revision ${UUID}$`, 'm') },
  discardWorkflow: { by: ['workflows discard one', 'workflows get one'], prints: /id: a/ },
  deleteRevision: {
    by: ['workflows untag one v1', 'workflows untag one keep', 'workflows delete one --ref {first}'],
    prints: new RegExp(`^deleted one ${UUID}$`, 'm'),
  },
  tagRevision: { by: ['workflows tag one v2', 'workflows get one --ref v2'], prints: /id: b/ },
  untagRevision: { by: ['workflows untag one v1'], prints: /^removed the tag v1 of one$/m },
  retagRevision: { by: ['workflows tag one v1', 'workflows get one --ref v1'], prints: /id: b/ },
  getRouter: { by: ['workflows traffic one'], prints: /^latest 100%$/m },
  editRouter: { by: ['workflows traffic one latest=1 v1=3'], prints: /v1 75%, latest 25%/ },
  validateRouter: { by: ['workflows check one'], prints: /^one latest: no problems$/m },
  validateRef: { by: ['workflows check one --ref v1'], prints: /^one v1: no problems$/m },
  getMirror: NO_MIRRORS,
  updateMirror: NO_MIRRORS,
  lockMirror: NO_MIRRORS,
  unlockMirror: NO_MIRRORS,
  syncMirror: NO_MIRRORS,
  executeWorkflow: { by: ['exec one --quiet x=1'], prints: /"x": ?"1"/ },
  waitWorkflow: { as: 'executeWorkflow' },
  waitWorkflowWithBody: { as: 'executeWorkflow' },
  listWorkflowVariables: {
    by: ['vars set greeting --value hello -w one', 'vars list -w one'],
    prints: /^greeting +5 /m,
  },
  getWorkflowVariable: {
    by: ['vars set greeting --value hello -w one', 'vars get greeting -w one'],
    prints: /^hello$/,
  },
  setWorkflowVariable: { by: ['vars set greeting --value hello -w one'], prints: /^set greeting/ },
  deleteWorkflowVariable: {
    by: ['vars set greeting --value hello -w one', 'vars delete greeting -w one'],
    prints: /^deleted greeting$/m,
  },
  getWorkflowLogs: { by: ['exec one --quiet', 'logs one'], prints: /Instance '.+' created by api/ },
  getWorkflowInvoked: { as: 'getWorkflowFlow' },
  getWorkflowSuccessful: { as: 'getWorkflowFlow' },
  getWorkflowFailed: { as: 'getWorkflowFlow' },
  getWorkflowMilliseconds: { as: 'getWorkflowFlow' },
  getWorkflowStateMilliseconds: { as: 'getWorkflowFlow' },
  getWorkflowFlow: {
    by: ['exec one --quiet', 'workflows metrics one'],
    prints: /^runs 1, complete 1, failed 0, mean \d+ ms\n.*\nb +1 +0 +0 +\d+$/m,
  },
};

/** The operations that the service answered with success, in order. */
const called: string[] = [];

let client: Client;
beforeAll(async () => {
  client = await openClient();
  const send = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
    const [url, init] = request;
    const { pathname, searchParams } = new URL(String(url));
    const query = { op: searchParams.getAll('op') };
    const response = await send(...request);
    const match = matchRoute(init?.method ?? 'GET', pathname, query);
    if (response.ok && 'id' in match) called.push(match.id);
    return response;
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await client.close();
});

let workspace: Workspace;
let namespace = '';
let first = '';
let spaces = 0;
beforeEach(async () => {
  namespace = `operations-${++spaces}`;
  workspace = await openWorkspace(client, namespace);
  await workspace.write({ 'other.yaml': NOOP, 'folder/new.yaml': NOOP });
  const one = `/api/namespaces/${namespace}/tree/one`;
  await client.call('PUT', `/api/namespaces/${namespace}`);
  first = (await client.call('PUT', `${one}?op=create-workflow`, { body: NOOP })).json()['revision']?.[
    'name'
  ] as unknown as string;
  for (const tag of ['v1', 'keep']) await client.call('POST', `${one}?op=tag&ref=latest&tag=${tag}`);
  await client.call('POST', `${one}?op=save-workflow`);
  await client.call('POST', `${one}?op=update-workflow`, { body: OTHER });
  called.length = 0;
});
afterEach(() => workspace.clear());

const operations = Object.entries(WAYS) as [Operation, Way][];

describe('an operation on workflows', () => {
  const done = operations.flatMap(([id, way]) => ('by' in way ? [{ id, ...way, line: way.by.join('; weft ') }] : []));
  test.each(done)('$id: weft $line', async ({ id, by, prints }) => {
    let out = '';
    for (const line of by) {
      const ended = await workspace.weft(line.replace('{first}', first).split(' '));
      expect(ended, ended.err).toMatchObject({ code: 0 });
      ({ out } = ended);
    }
    expect(out).toMatch(prints);
    expect(called).toContain(id);
  });

  test('is done by the command of another one only if that has a command', () => {
    const others = operations.flatMap(([id, way]) => ('as' in way ? [{ id, way: WAYS[way.as] }] : []));
    expect(others.filter(({ way }) => !('by' in way))).toEqual([]);
  });

  const refused = operations.flatMap(([id, way]) => ('refused' in way ? [{ id, ...way }] : []));
  test.each(refused)('$id has no command, and the service refuses it', async ({ id, refused: message }) => {
    const route = rows.find(([name]) => name === id)?.[1];
    const path = `/api/namespaces/${namespace}/tree/one?op=${route?.op}`;
    const answer = await client.call(route?.method ?? '', path, route?.input === undefined ? {} : { json: {} });
    expect(answer.json()).toMatchObject({ message: expect.stringContaining(message) });
  });
});
