import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Json, openClient, rowsOf } from '../access/client.ts';

/** The implemented state types; workflows with others are compiled and rejected. */
const BUILT = new Set([
  'noop',
  'switch',
  'validate',
  'setter',
  'getter',
  'error',
  'delay',
  'action',
  'foreach',
  'parallel',
  'generateEvent',
  'consumeEvent',
  'eventsAnd',
  'eventsXor',
  'eventAnd',
  'eventXor',
]);

/** How a workflow can be started here: by request or by event. */
const STARTS = new Set(['default', 'scheduled', 'event', 'eventsXor', 'eventsAnd']);

/** Accidental behaviour of the original that Weft omits, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'switch-js-integer-is-falsy': 'an integer out of js counts as the number it is',
};

interface Case {
  readonly name: string;
  readonly yaml: string;
  readonly input: unknown;
  readonly rawInput?: string;
  readonly path?: string;
  readonly needs?: readonly string[];
  readonly children?: readonly { readonly path: string; readonly yaml: string }[];
  readonly secrets?: Readonly<Record<string, string>>;
  readonly events?: readonly unknown[];
  readonly expect: {
    readonly rejected?: true;
    readonly startRejected?: true;
    readonly status?: string;
    readonly upstreamStatus?: string;
    readonly output?: unknown;
    readonly errorCode?: string;
  };
}

const cases = JSON.parse(
  readFileSync(new URL('../../conformance/workflows.json', import.meta.url), 'utf8'),
) as readonly Case[];

interface Source {
  readonly start?: { readonly type?: string };
  readonly functions?: readonly { readonly type?: string }[];
  readonly states?: readonly { readonly type?: string }[];
}

function isBuilt(yaml: string): boolean {
  const { start, functions = [], states = [] } = load(yaml) as Source;
  const isPlain = STARTS.has(start?.type ?? 'default') && functions.every(({ type }) => type === 'subflow');
  return isPlain && states.every(({ type = 'noop' }) => BUILT.has(type));
}

const isRunnable = (row: Case): boolean =>
  (row.children ?? []).every(({ yaml }) => isBuilt(yaml)) && LEFT_OUT[row.name] === undefined && isBuilt(row.yaml);

const applicable = cases.filter((row) => row.expect.rejected === true || isRunnable(row));

let client: Client;
let passed = 0;

beforeAll(async () => {
  client = await openClient();
});

afterAll(async () => {
  console.log(`workflows: ${passed} passed / ${applicable.length} applicable of ${cases.length}`);
  await client.close();
});

const bodyOf = (row: Case): string => row.rawInput ?? JSON.stringify(row.input);

async function storeAt(namespace: string, path: string, yaml: string) {
  const tree = `/api/namespaces/${namespace}/tree`;
  const folders = path.split('/').filter(Boolean).slice(0, -1);
  for (const [index] of folders.entries()) {
    await client.call('PUT', `${tree}/${folders.slice(0, index + 1).join('/')}?op=create-directory`);
  }
  return client.call('PUT', `${tree}/${path.replace(/^\//, '')}?op=create-workflow`, { body: yaml });
}

async function send(namespace: string, events: readonly unknown[]): Promise<void> {
  for (const event of events) {
    const body = JSON.stringify(event);
    const headers = { 'Content-Type': 'application/cloudevents+json' };
    const sent = await client.call('POST', `/api/namespaces/${namespace}/broadcast`, { body, headers });
    expect(sent.status, sent.text).toBe(200);
    // In sequence: each must be at its path before the next.
    await setTimeout(60);
  }
}

/** Polls until the result is not undefined. */
async function until<T>(poll: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await poll();
    if (found !== undefined) return found;
    await setTimeout(20);
  }
}

const read = async (path: string): Promise<Json> => (await client.call('GET', path)).json();

/** The id of the run: started by the request, or by the events. */
async function startOf(row: Case, namespace: string, workflow: string): Promise<string> {
  const home = `/api/namespaces/${namespace}`;
  if (row.input === null && row.rawInput === undefined) {
    await send(namespace, row.events ?? []);
    return until(async () => {
      const [first] = rowsOf((await read(`${home}/instances`))['instances']?.['results']);
      return first === undefined ? undefined : String(first['id']);
    });
  }
  const started = await client.call('POST', `${workflow}?op=execute`, { body: bodyOf(row) });
  const id = String(started.json()['instance']);
  if (row.events === undefined) return id;
  await until(async () => {
    const listening = rowsOf((await read(`${home}/event-listeners`))['results']);
    return listening.some((listener) => String(listener['instance']) === id) ? true : undefined;
  });
  await send(namespace, row.events);
  return id;
}

async function outcomeOf(row: Case, namespace: string) {
  const workflow = `/api/namespaces/${namespace}/tree/${row.path ?? 'main'}`;
  for (const [name, body] of Object.entries(row.secrets ?? {})) {
    expect((await client.call('PUT', `/api/namespaces/${namespace}/secrets/${name}`, { body })).status).toBe(200);
  }
  for (const child of row.children ?? []) expect((await storeAt(namespace, child.path, child.yaml)).status).toBe(200);
  expect((await storeAt(namespace, row.path ?? 'main', row.yaml)).text).toContain('"revision"');
  const id = await startOf(row, namespace, workflow);
  const path = `/api/namespaces/${namespace}/instances/${id}`;
  const instance = await until(async () => {
    const shown = (await read(path))['instance'];
    return String(shown?.['status']) === 'pending' ? undefined : shown;
  });
  const text = Buffer.from(String((await read(`${path}/output`))['data']), 'base64').toString();
  return { instance, output: text === '' ? null : (JSON.parse(text) as unknown) };
}

describe('workflows with recorded outcomes', () => {
  test.each(applicable.map((row, index) => [row.name, row, `case-${index}`] as const))(
    '%s',
    async (_name, row, namespace) => {
      await client.call('PUT', `/api/namespaces/${namespace}`);
      if (row.expect.rejected === true) {
        const path = `/api/namespaces/${namespace}/tree/main?op=create-workflow`;
        expect((await client.call('PUT', path, { body: row.yaml })).status).toBe(406);
      } else if (row.expect.startRejected === true) {
        const path = `/api/namespaces/${namespace}/tree/main`;
        await client.call('PUT', `${path}?op=create-workflow`, { body: row.yaml });
        expect((await client.call('POST', `${path}?op=wait`, { body: bodyOf(row) })).status).toBe(500);
      } else {
        const { instance, output } = await outcomeOf(row, namespace);
        expect(instance?.['status'], String(instance?.['errorMessage'])).toBe(
          row.expect.upstreamStatus ?? row.expect.status,
        );
        if (row.expect.errorCode !== undefined) expect(instance?.['errorCode']).toBe(row.expect.errorCode);
        if (row.expect.output !== undefined && output !== null) expect(output).toEqual(row.expect.output);
      }
      passed += 1;
    },
  );
});
