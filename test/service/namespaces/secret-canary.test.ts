import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Service, startService } from '../../../bin/server/service.ts';
import { toItem } from '../../../lib/adapters/local/table/items.ts';
import { storedIn } from '../../../lib/adapters/local/table/rows.ts';
import { traceSettings } from '../../../lib/adapters/portable/otlp-settings.ts';
import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { secretSourcesIn } from '../../../lib/domain/credentials/references.ts';
import { type Client, clientOf, rowsOf } from '../access/client.ts';

/** Characters that every encoding treats differently, between two random texts. */
const CANARY = `Q${randomBytes(18).toString('base64url')}Z "q\\uo/te'\n+&=ü🔑 Y${randomBytes(18).toString('base64url')}X`;
const DEMO = '/api/namespaces/demo';

/** Overlapping parts of a text: a text that is cut, joined or encoded still contains one of them. */
const WINDOW = 8;
const windowsOf = (text: string): string[] =>
  Array.from({ length: Math.max(text.length - WINDOW + 1, 0) }, (_, at) => text.slice(at, at + WINDOW));

/** The parts of each encoding that contain enough of the random texts. */
function tracesOf(value: string): Set<string> {
  const texts = [value.slice(0, 24), value.slice(-24)];
  const bytes = Buffer.from(value);
  const encoded = [bytes.subarray(0, 24), bytes.subarray(-24)].flatMap((part) =>
    [0, 1, 2].flatMap((shift) => {
      const whole = part.subarray(shift, shift + 21);
      return [whole.toString('base64'), whole.toString('base64url'), whole.toString('hex')];
    }),
  );
  const forms = [...texts, ...encoded].flatMap((text) => [text, [...text].reverse().join('')]);
  return new Set(forms.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()]).flatMap(windowsOf));
}
const TRACES = tracesOf(CANARY);

/** The trace of the canary in a text; undefined if there is none. */
function traceIn(text: string): string | undefined {
  for (let at = 0; at + WINDOW <= text.length; at += 1) {
    const window = text.slice(at, at + WINDOW);
    if (TRACES.has(window)) return text.slice(Math.max(at - 40, 0), at + 40);
  }
  return undefined;
}

const CODES: Readonly<Record<string, readonly string[]>> = {
  jq: [
    '.secrets.T + 1',
    '.secrets.T[0]',
    '.secrets.T.x',
    '.secrets[0]',
    '.secrets.T | error',
    'error(.secrets)',
    'error({deep: [.secrets]})',
    '.secrets.T | tonumber',
    '.secrets.T | fromjson',
    '.secrets.T | implode',
    '.secrets.T | keys',
    '.secrets.T * {}',
    '{} * .secrets.T',
    '.secrets - {}',
    '[.secrets] | join(1; 2)',
    '.secrets.T as [$a] | $a',
    '.secrets.T | @base64 | error',
    '.secrets.T | @base64d',
    '.secrets.T | @uri | error',
    '.secrets.T | @json | error',
    '.secrets.T | @html | error',
    '.secrets.T | @sh | halt_error',
    '.secrets.T | halt_error(1)',
    '.secrets | halt_error(2)',
    '[.secrets.T] | @csv | error',
    '.secrets.T | ascii_downcase | error',
    '.secrets.T | explode | reverse | implode | error',
    '.secrets.T[0:12] | error',
    '[.secrets.T[0:9], .secrets.T[9:18]] | error',
    '.secrets.T | test(.)',
    '"x" | test("(" + $__loc__.file + "[")',
    '.secrets.T as $t | "x" | test("(" + $t)',
    '.secrets.T | strptime("%Y")',
    '.secrets.T | ltrimstr(1) | .[1:] | .a',
    '.secrets.T | getpath([1])',
    '. as $d | [1] | .[$d.secrets.T]',
    '{(.secrets.T): 1} | to_entries[0].key | error',
    '.secrets.T | debug | .a',
    '.secrets.T | stderr | .a',
    '.secrets.T, .secrets.T',
    'if .secrets.T == "***" then 1 else error("the value is " + .secrets.T) end',
    'if .secrets.T == "***" then 1 else null end',
    'label $out | foreach .secrets.T as $x (0; $x.a)',
    '.secrets | to_entries | from_entries | .T | ascii',
    '.secrets.T | splits("(")',
    '.secrets.T | gsub("(?<a>.)"; .a.b)',
    'ltrimstr("x") | .secrets.T | limit(-1; error)',
    '$ENV[.secrets.T].x | .y | error',
    'input_line_number as $n | .secrets.T | .[$n]',
    '.secrets.T | error(null)',
    '.secrets.T | ascii_upcase | {a: .} | error',
    '.secrets.T | [limit(4; explode[])] | error',
  ],
  js: [
    'throw new Error(data.secrets.T)',
    'throw data.secrets.T',
    'throw data.secrets',
    'throw {message: data.secrets.T, name: data.secrets.T}',
    'return data.secrets.T.x.y',
    'return data.secrets.T()',
    'return JSON.parse(data.secrets.T)',
    'return eval(data.secrets.T)',
    'return new RegExp("(" + data.secrets.T)',
    'return data[data.secrets.T].x',
    'return null[data.secrets.T]',
    'return new Function(data.secrets.T)()',
    'return decodeURIComponent("%" + data.secrets.T)',
    'throw new Error(data.secrets.T.split("").reverse().join(""))',
    'throw new Error(encodeURIComponent(data.secrets.T))',
    'throw new Error(data.secrets.T.slice(0, 10))',
    'if (data.secrets.T !== "***") throw new Error("it is " + data.secrets.T); return 1',
    'const e = new Error("x"); e.stack = data.secrets.T; throw e',
    'throw {toString() { return data.secrets.T }}',
  ],
};
const QUERIES = Object.entries(CODES).flatMap(([kind, codes]) => codes.map((code) => `${kind}(${code})`));

const quoted = (text: string): string => JSON.stringify(text);
const FUNCTIONS = [
  'functions:',
  '- {id: quiet, type: subflow, workflow: quiet}',
  '- {id: failing, type: subflow, workflow: failing}',
  '- {id: waiting, type: subflow, workflow: waiting}',
  'states:',
].join('\n');

/** The places where a workflow can expose an error: log, metadata, variables, an event, its output. */
const TELL = `
- id: tell
  type: setter
  log: {what: 'jq(.)'}
  metadata: {what: 'jq(.)'}
  variables:
  - {key: exposed, scope: instance, value: 'jq(.)'}
  - {key: exposed, scope: namespace, value: 'jq([.error])'}
  transition: send
- id: send
  type: generateEvent
  event: {type: exposed, source: test, data: 'jq(.)'}`;

/** A state for each query, in sequence; each one exposes the error of the state before it. */
function chainOf(rest: (input: string) => string): string {
  const states = QUERIES.map((query, at) => {
    const next = at + 1 < QUERIES.length ? `s${at + 1}` : 'tell';
    const ways = `catch: [{error: 'service.jq.*', transition: ${next}}], transition: ${next}`;
    return `- {id: s${at}, log: 'jq([.error])', metadata: 'jq([.error])', ${ways}, ${rest(quoted(query))}}`;
  });
  return states.join('\n') + TELL;
}

/** The ways in which an action reads the secret for an input. */
const CHAINS: Readonly<Record<string, (input: string) => string>> = {
  'in an action': (input) => `type: action, action: {function: quiet, secrets: [T], input: {deep: [${input}]}}`,
  'without waiting': (input) =>
    `type: action, async: true, action: {function: quiet, secrets: [T], input: {x: ${input}}}`,
  'for each': (input) =>
    `type: foreach, array: [{n: 1}, {n: 2}], action: {function: quiet, secrets: [T], input: {x: ${input}}}`,
  'in parallel': (input) =>
    `type: parallel, actions: [{function: waiting, secrets: [T]}, {function: quiet, secrets: [T], input: {x: ${input}}}]`,
};

const action = (rest: string): string => `- {id: a, ${rest}, transition: tell}${TELL}`;

/** The ways in which the secret is passed to a child that does not expose it. */
const HANDED: Readonly<Record<string, string>> = {
  'to one that ends at once': action('type: action, action: {function: quiet, secrets: [T]}'),
  'to one that waits': action('type: action, action: {function: waiting, secrets: [T]}'),
  'to one that fails, again and again': action(
    "type: action, action: {function: failing, secrets: [T], input: {t: 'jq(.secrets.T)'}, retries: {max_attempts: 2, delay: PT0S, codes: ['*']}}, catch: [{error: '*', transition: tell}]",
  ),
  'to each, encoded': action(
    "type: foreach, array: [{n: 1}, {n: 2}], action: {function: quiet, secrets: [T], input: {t: 'jq(.secrets.T | @base64)'}}",
  ),
  'to the first of several': action(
    'type: parallel, mode: or, actions: [{function: failing, secrets: [T]}, {function: waiting, secrets: [T]}]',
  ),
  'from elsewhere': action(
    "type: action, action: {function: failing, secrets: [E], input: {t: 'jq(.secrets.E)'}}, catch: [{error: '*', transition: tell}]",
  ),
  'from elsewhere, by a query that fails on it': action(
    "type: action, action: {function: quiet, secrets: [E], input: 'jq(.secrets.E | error)'}, catch: [{error: '*', transition: tell}]",
  ),
  'and forgotten': action('type: action, async: true, action: {function: waiting, secrets: [T]}'),
};

const CHILDREN: Readonly<Record<string, string>> = {
  quiet: 'states:\n- {id: a, type: noop, transform: {done: true}}\n',
  failing: "states:\n- {id: a, type: error, error: child.failed, message: 'no luck', transform: {done: true}}\n",
  waiting: 'states:\n- {id: a, type: delay, duration: PT1S, transform: {done: true}}\n',
};

/** The bodies of the requests that a receiver of traces got. */
const exported: string[] = [];
const receiver = createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += String(part);
  exported.push(text);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

let folder: string;
let service: Service;
let client: Client;
const printed: string[] = [];
/** The replies to all requests. */
const answers: string[] = [];

beforeAll(async () => {
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, name).mockImplementation((...words) => void printed.push(words.map(String).join(' ')));
  }
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  }
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const traces = traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_BSP_SCHEDULE_DELAY: '50' });
  folder = await mkdtemp(join(tmpdir(), 'weft-canary-'));
  service = await startService({
    ...{ port: 0, host: '127.0.0.1', data: folder, apiKey: undefined, brand: 'service', version: packageVersion() },
    databaseEndpoint: undefined,
    secretSources: secretSourcesIn('*=env:CANARY'),
    variables: { CANARY },
    traces,
  });
  client = clientOf(service.url, service.key, () => service.close());
  await prepare();
});

afterAll(async () => {
  await client.close();
  receiver.closeAllConnections();
  receiver.close();
  await rm(folder, { recursive: true });
  vi.restoreAllMocks();
});

async function store(path: string, source: string): Promise<void> {
  const stored = await client.call('PUT', `${DEMO}/tree/${path}?op=create-workflow`, { body: source });
  if (stored.status !== 200) throw new Error(stored.text);
  const logger = { logger: 'exposed' };
  await client.call('POST', `${DEMO}/tree/${path}?op=set-workflow-event-logging`, { json: logger });
}

async function prepare(): Promise<void> {
  await client.call('PUT', DEMO);
  const broadcast = { 'instance.failed': true, 'instance.success': true, 'instance.variable.create': true };
  await client.call('PATCH', `${DEMO}/config`, { json: { broadcast } });
  await client.call('PUT', `${DEMO}/secrets/T`, { body: CANARY });
  await client.call('PUT', `${DEMO}/secrets/E?reference=true`, { body: 'env:CANARY' });
  for (const [path, source] of Object.entries(CHILDREN)) await store(path, source);
}

let flows = 0;

/** Runs a workflow to its end and returns the status of the reply. */
async function run(states: string): Promise<number> {
  const path = `flow-${++flows}`;
  await store(path, `${FUNCTIONS}\n${states}\n`);
  const headers = { Accept: 'application/json' };
  const answer = await client.call('POST', `${DEMO}/tree/${path}?op=wait`, { body: '{}', headers });
  answers.push(answer.text, JSON.stringify([...answer.headers]));
  return answer.status;
}

/** Reads the tables of items, or the other tables, from the file over another connection. */
function rowsOfFile(isOfItems: boolean): Record<string, unknown>[] {
  const file = new DatabaseSync(join(folder, 'weft.db'), { readOnly: true });
  const tables = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = tables
    .map(({ name }) => String(name))
    .filter((name) => /^(catalog|runs|journal)\b/.test(name) === isOfItems);
  const rows = names.flatMap((name) => file.prepare(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[]);
  file.close();
  expect(rows.length).toBeGreaterThan(0);
  return rows;
}

/** A value as text; bytes are decoded as far as they are text. */
const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : JSON.stringify(value);

/** The attributes of items that contain a trace, each with the invoker of its run. */
function foundInTables(): { readonly attribute: string; readonly invoker: string; readonly trace: string }[] {
  // The index of runs has columns of its own, and no item.
  const items = rowsOfFile(true).map((row) =>
    'text' in row ? toItem(String(row['pk']), String(row['sk']), storedIn(row as never)) : row,
  );
  return items.flatMap((item) =>
    Object.entries(item).flatMap(([attribute, value]) => {
      const trace = traceIn(textOf(value));
      return trace === undefined ? [] : [{ attribute, invoker: String(item['invoker']), trace }];
    }),
  );
}

/** The routes that describe a run: its timeline, its wait, its bundle, and its source. */
const VIEWS = ['/timeline', '/waiting', '/bundle', '?op=source'];

/** Reads the views and the data of each step. A replay is made of the bundle alone. */
async function readRecords(id: string): Promise<void> {
  for (const view of VIEWS) answers.push((await client.call('GET', `${DEMO}/instances/${id}${view}`)).text);
  const timeline = (await client.call('GET', `${DEMO}/instances/${id}/timeline`)).json();
  for (const { n } of rowsOf(timeline['steps'])) {
    answers.push((await client.call('GET', `${DEMO}/instances/${id}/steps/${String(n)}`)).text);
  }
}

async function readAll(instances: readonly string[]): Promise<void> {
  for (const path of [
    '/logs',
    '/events',
    '/event-listeners',
    '/instances',
    '/vars',
    '/vars/exposed',
    '/secrets',
    '/secrets/T',
    '/secrets/E',
  ]) {
    answers.push((await client.call('GET', `${DEMO}${path}`)).text);
  }
  for (const id of instances) {
    for (const part of ['', '/logs', '/output', '/metadata', '/vars', '/vars/exposed']) {
      answers.push((await client.call('GET', `${DEMO}/instances/${id}${part}`)).text);
    }
  }
}

async function filesOf(at: string): Promise<string[]> {
  const entries = await readdir(at, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function instances(): Promise<readonly { readonly id: string; readonly invoker: string }[]> {
  const list = (await client.call('GET', `${DEMO}/instances`)).json()['instances'];
  return rowsOf(list?.['results']).map(({ id, invoker }) => ({ id: String(id), invoker: String(invoker) }));
}

async function settled(): Promise<void> {
  const query = 'filter.field=STATUS&filter.type=MATCH&filter.val=pending';
  for (;;) {
    const list = (await client.call('GET', `${DEMO}/instances?${query}`)).json()['instances'];
    if (rowsOf(list?.['results']).length === 0) break;
    await setTimeout(50);
  }
  await service.idle();
}

/** The texts in base64 of replies are searched as well. */
const decoded = (text: string): string =>
  text.replace(/"(?:data|cloudevent)":"([^"]+)"/g, (whole, data) => whole + Buffer.from(data, 'base64').toString());

describe('a secret that actions read, with every way in which a query can fail on it', () => {
  test('is found by this test in any encoding', () => {
    const bytes = Buffer.from(CANARY);
    const forms = [
      CANARY,
      JSON.stringify(CANARY),
      bytes.toString('base64'),
      Buffer.from(`x${CANARY}`).toString('base64url'),
    ];
    forms.push(encodeURIComponent(CANARY), CANARY.slice(0, 11), CANARY.toLowerCase(), bytes.toString('hex'));
    forms.push(JSON.stringify(JSON.stringify(CANARY)), [...CANARY].reverse().join(''));
    for (const form of forms) expect(traceIn(`before ${form} after`), form).toBeDefined();
    expect(traceIn('nothing here but words, digits 0123456789 and signs')).toBeUndefined();
  });

  test.each(Object.entries(CHAINS))('reaches a query that is caught: %s', async (_way, rest) => {
    expect(await run(chainOf(rest))).toBe(200);
  });

  test.each(QUERIES.filter((_, at) => at % 9 === 0))('reaches a query that is not caught: %s', async (query) => {
    const input = quoted(`it is ${query}!`);
    expect(await run(`- {id: a, type: action, action: {function: quiet, secrets: [T], input: ${input}}}`)).toBe(500);
  });

  test.each(Object.entries(HANDED))('is passed to a child: %s', async (_way, states) => {
    expect(await run(states)).toBe(200);
  });

  test('is not seen by labels, and not in the reply of a run that is cancelled with a child that has it', async () => {
    const labels =
      "labels: {a: 'jq(.secrets.T)', b: 'jq(.secrets | tostring)', c: jq(.c), d: 'js(return data.secrets.T)'}";
    const states = '- {id: a, type: action, action: {function: waiting, secrets: [T], input: {t: jq(.secrets.T)}}}';
    await store('labelled', `${labels}\n${FUNCTIONS}\n${states}\n`);
    const started = await client.call('POST', `${DEMO}/tree/labelled?op=execute&label.e=x`, { body: '{"c": "y"}' });
    const id = String(started.json()['instance']);
    answers.push(started.text, (await client.call('POST', `${DEMO}/instances/${id}?op=cancel`)).text);
    expect((await client.call('GET', `${DEMO}/instances/${id}`)).json()['labels']).toEqual({
      b: 'null',
      c: 'y',
      e: 'x',
    });
  });

  test('is in no span that is exported', async () => {
    await settled();
    await expect.poll(() => exported.join('').includes('weft.label.e'), { timeout: 20_000 }).toBe(true);
    expect(exported.length).toBeGreaterThan(0);
    expect(exported.map(traceIn).filter((trace) => trace !== undefined)).toEqual([]);
  });

  test('is in no reply, log, event, variable or metadata', async () => {
    await settled();
    const all = await instances();
    await readAll(all.map(({ id }) => id));
    // A child gets the secret as its input, which its record has; its failure as that of its caller has none.
    for (const { id } of all.filter(({ invoker }) => invoker === 'api')) await readRecords(id);
    answers.push((await client.call('GET', '/api/audit')).text);
    const exposed = answers.map((text) => traceIn(decoded(text))).filter((trace) => trace !== undefined);
    expect(exposed).toEqual([]);
    const failures = answers.join('').match(/State failed with error 'service\.jq\.badCommand'/g) ?? [];
    expect(failures.length).toBeGreaterThan(QUERIES.length * 3);
    expect(printed.map(traceIn).filter((trace) => trace !== undefined)).toEqual([]);
  });

  // The input of a child contains the secret, and so does its data until it changes; a cancelled child does not change
  // it.
  test('is in no item of the database but the inputs of the children that get it', async () => {
    const found = foundInTables();
    const isInput = ({ attribute, invoker }: (typeof found)[number]) =>
      /^(input|data)$/.test(attribute) && invoker.startsWith('instance:');
    expect(found.filter((place) => !isInput(place))).toEqual([]);
    expect(found.length).toBeGreaterThan(0);
  });

  test('is in no row of the executions, the bus or the blobs, and in no other file', async () => {
    const rows = rowsOfFile(false).map((row) => Object.values(row).map(textOf).join('\n'));
    expect(rows.flatMap((row) => traceIn(row) ?? [])).toEqual([]);
    const files = (await filesOf(folder)).filter((file) => !file.startsWith(join(folder, 'weft.db')));
    expect(files.map((file) => file.slice(folder.length + 1))).toEqual(expect.arrayContaining(['root-key']));
    const found = [];
    for (const file of files) {
      const trace = traceIn((await readFile(file)).toString('latin1'));
      if (trace !== undefined) found.push([file, trace]);
    }
    expect(found).toEqual([]);
  });

  test('is replaced in messages, which equal those of the same query without it', async () => {
    await store(
      'words',
      `${FUNCTIONS}\n- {id: a, type: action, action: {function: quiet, secrets: [T], input: 'jq(.secrets.T + 1)'}}`,
    );
    const plain = await client.call('POST', `${DEMO}/tree/words?op=wait`, { body: '{}' });
    expect(plain.headers.get('service-instance-error-message')).toMatch(/^failed to evaluate jq\/js: .*"\*\*\*"/);
    const only = '.secrets.T | if . == "***" then 1 else error("it is " + .) end';
    await store(
      'only',
      `${FUNCTIONS}\n- {id: a, type: action, action: {function: quiet, secrets: [T], input: ${quoted(`jq(${only})`)}}}`,
    );
    const hidden = await client.call('POST', `${DEMO}/tree/only?op=wait`, { body: '{}' });
    expect(hidden.headers.get('service-instance-error-code')).toBe('service.jq.badCommand');
    expect(hidden.headers.get('service-instance-error-message')).toMatch(/may contain the secret and is not shown$/);
  });
});
