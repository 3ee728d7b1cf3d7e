import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queries } from '../../../lib/api/registry/queries.ts';
import { rows } from '../../../lib/api/registry/routes/index.ts';
import { cases } from '../../effort.ts';
import fc from '../../fast-check.ts';
import { type Client, openClient } from '../access/client.ts';
import { type RawAnswer, sendRaw } from '../access/raw.ts';

/** An emulator of AWS starts a process for many of the requests. */
const RUNS = cases(500, 800);
const ABSENT = '00000000-0000-0000-0000-000000000000';

/** The only errors of a caller that are 500, by their messages: clients know them by that status. */
const KNOWN: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^(EOF|unexpected EOF|invalid character )/, 'a JSON body that cannot be read (rest-api reference, 1.3)'],
  [/^the body is not UTF-8 text$/, 'the same, in an encoding that is none'],
  [/^json: /, 'a JSON body of another shape (rest-api reference, 1.3)'],
  [/^invalid UUID (length: \d+|format)$/, 'an instance id that is none (rest-api reference, 1.3)'],
  [/^not a workflow$/, 'a directory where a workflow is asked for (rest-api reference, 5.2)'],
  [/^parent inode is not a directory$/, 'a workflow below a workflow (rest-api reference, 5.5)'],
  [/^cannot (rename|overwrite) root node$|^cannot move node into itself$/, 'renaming (rest-api reference, A.4)'],
  [/^refusing to delete non-empty namespace/, 'deleting what is not empty (rest-api reference, 4.4)'],
  [/^not a (tag|revision)$|^cannot delete (tag|revision) while/, 'names of revisions (rest-api reference, A.3)'],
  [/^tag (exists in both|is missing from) query and body$/, 'the same'],
  [/^cannot execute disabled workflow$/, 'a disabled workflow (rest-api reference, 5.8)'],
  [
    /not a 32-bit integer$|^bad (ordering|filtering) arguments/,
    'a list request of instances (rest-api reference, 2.2)',
  ],
  [/^not a git mirror$/, 'a node that follows no repository (rest-api reference, A.9)'],
  [/is not an RFC 3339 time$/, 'the same'],
  [/^secret name must match|^name, namespace and secret values are required/, 'secrets (rest-api reference, 9)'],
  [/^invalid (order field|order direction|filter field|filter type): /, 'a list of secrets (rest-api reference, 2.3)'],
  [/^invalid username\/token format|is not the address of a registry: /, 'registries (rest-api reference, 10)'],
  [/^url, username and password need to be provided$/, 'a trial of a registry (rest-api reference, A.7)'],
  [/^(svn|version) is missing in queries$|^strconv\.ParseUint: /, 'services of a workflow (rest-api reference, 11.7)'],
  [/^no traffic (values|defined)$|^unknown revision |still has traffic/, 'traffic (rest-api reference, 11.4)'],
  [
    /^(specversion|source|type|id|time|data\w*): .*(number \d+ of the batch)?$|^unexpected end of JSON|^exceeded max/s,
    'a batch of events (rest-api reference, 15.1)',
  ],
  [/^An error occurred executing instance /, 'a run that failed (rest-api reference, 6.3)'],
];

const TRACE = /\n\s+at |node_modules|\.(ts|js|mjs):\d+|an internal error occurred;|\[object /;

let client: Client;
const served = new Set<string>();

beforeAll(async () => {
  client = await openClient();
  const folder = new URL('../../../functions/http/', import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
    const { endpoints = {} } = (await import(new URL(file, folder).pathname)) as { endpoints?: object };
    for (const id of Object.keys(endpoints)) served.add(id);
  }
  await restore();
});

afterAll(() => client.close());

/** Random requests delete as well as create. */
async function restore(): Promise<void> {
  await client.call('PUT', '/api/namespaces/demo');
  await client.call('PUT', '/api/namespaces/demo/tree/d?op=create-directory');
  const body = 'states:\n- id: a\n  type: noop\n';
  await client.call('PUT', '/api/namespaces/demo/tree/wf?op=create-workflow', { body });
}

const hostile = fc.constantFrom(
  '..',
  '.',
  '%2e%2e',
  '%2f',
  'a%2fb',
  '%00',
  '%',
  '%zz',
  '%ff',
  '%ed%a0%80',
  '%0d%0aX-Injected:1',
  '__proto__',
  'constructor',
  '-',
  'A',
  'null',
  'undefined',
  'a b'.replace(' ', '%20'),
  'a'.repeat(70),
  'a'.repeat(1100),
  'a/'.repeat(50),
  '%F0%9F%92%A9',
  '*',
  ';',
  "'",
  '{}',
);
const plain = fc
  .string({ maxLength: 20 })
  .filter((text) => text.isWellFormed())
  .map(encodeURIComponent);
const known = fc.constantFrom('demo', 'demo', 'demo', 'wf', 'wf', 'd', 'd/x', 'nosuch', ABSENT, 'latest', '');
const piece = fc.oneof(
  { weight: 5, arbitrary: known },
  { weight: 2, arbitrary: hostile },
  { weight: 1, arbitrary: plain },
);

const value = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    'true',
    'latest',
    'abc',
    '99999999999',
    'NAME',
    'CREATED',
    'ID',
    'TYPE',
    'DESC',
    'AFTER',
    'CONTAINS',
    '1e3',
    '%00',
    '%0d%0a',
  ),
  hostile.map((text) => text.replace(/%(?![0-9a-f]{2})/gi, '%25')),
  plain,
);
const query = fc.array(
  fc.tuple(fc.constantFrom(...Object.keys(queries), 'input.x', 'input.__proto__', '__proto__', 'op'), value),
  { maxLength: 4 },
);

const json = fc.json({ maxDepth: 3 });
const body = fc.oneof(
  fc.constantFrom(
    '',
    '{}',
    '[]',
    'null',
    '{',
    '{"live":true}',
    '{"live":false}',
    '{"new":"/wf2"}',
    '{"new":"wf"}',
    '{"new":".."}',
    '{"url":"x"}',
    '{"logger":1}',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"a":1}}',
    '{"name":"x","permission":"read"}',
    '{"query":".","data":"e30="}',
    '{"query":".a.b","data":"!"}',
    '{"broadcast":{"workflow.create":true}}',
    '{"broadcast":{"x":1}}',
    'states:\n- id: a\n  type: noop\n',
    'states: [',
    '\0',
    '\ufeff{}',
    '['.repeat(2000),
  ),
  json,
  fc.uint8Array({ maxLength: 40 }),
);
const key = fc.oneof(
  { weight: 12, arbitrary: fc.constant('good') },
  { weight: 1, arbitrary: fc.constantFrom('', 'wrong', '__proto__') },
);
const headers = fc.record(
  {
    Accept: fc.constantFrom('*/*', 'text/event-stream', 'nonsense'),
    'Content-Type': fc.constantFrom(
      'application/json',
      'text/plain; charset=latin1',
      'application/cloudevents+json',
      'nonsense',
    ),
    'ce-type': fc.constantFrom('x', ''),
  },
  { requiredKeys: [] },
);

type Row = (typeof rows)[number];

interface Asked {
  readonly row: Row;
  readonly pieces: readonly string[];
  readonly query: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string;
}

/** Requests to every route, with more requests to the implemented ones. */
function requests(): fc.Arbitrary<Asked> {
  const mine = rows.filter(([id]) => served.has(id));
  const row = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...mine) },
    { weight: 1, arbitrary: fc.constantFrom(...rows) },
  );
  return fc.record({ row, pieces: fc.array(piece, { minLength: 4, maxLength: 4 }), query, body, headers, key });
}

function pathOf({ row: [, { path, op }], pieces, query: pairs }: Asked): string {
  const rest = [...pieces];
  const place = path.replace(/\{\w+\+?\}/g, () => rest.pop() ?? '');
  const all = [...(op === undefined ? [] : [['op', op] as const]), ...pairs];
  return `/api${place}?${all.map(([name, text]) => `${name}=${text}`).join('&')}`;
}

function send(request: Asked): Promise<RawAnswer> {
  const [, { method }] = request.row;
  const used = request.key === 'good' ? client.key : request.key;
  const sent = { ...request.headers, ...(used === '' ? {} : { 'Service-Api-Key': used }) };
  return sendRaw(client.url, method, pathOf(request), { headers: sent, body: request.body });
}

/** The message of an error reply; one in JSON has the shape of all errors. */
function wordsOf({ status, text, headers: found }: RawAnswer): string {
  // An empty body has no shape; an emulator labels it JSON nevertheless.
  if (text === '' || found['content-type'] !== 'application/json') return text;
  const { code, message, StatusCode: number } = JSON.parse(text) as Record<string, unknown>;
  expect([code, number]).toEqual([status, status]);
  expect(message).not.toBe('');
  return String(message);
}

function judge(answer: RawAnswer): void {
  const { status, text, headers: found } = answer;
  expect([200, 301, 400, 401, 403, 404, 405, 406, 409, 500]).toContain(status);
  expect(found['x-injected']).toBeUndefined();
  if (status < 400) return;
  expect(text).not.toMatch(TRACE);
  const words = wordsOf(answer);
  if (status === 500)
    expect(
      KNOWN.some(([pattern]) => pattern.test(words)),
      words,
    ).toBe(true);
}

describe('any request', () => {
  test(`gets a reply: no timeout, no stack trace, no unknown 500 (${RUNS} requests)`, {
    timeout: 180_000,
  }, async () => {
    const statuses = new Map<number, number>();
    const property = fc.asyncProperty(requests(), async (request) => {
      const answer = await send(request);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      judge(answer);
      if (request.row[1].method === 'DELETE') await restore();
    });
    await fc.assert(property, { numRuns: RUNS });
    console.log(
      `statuses: ${[...statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', ')}`,
    );
    expect((await client.call('GET', '/api/version')).status).toBe(200);
  });
});
