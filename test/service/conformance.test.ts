import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Json, openClient } from './client.ts';

/** The state types that run; the others are compiled and refused. */
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
]);

/** Accidents of the original that Weft leaves out, each with the reason. */
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
  readonly secrets?: unknown;
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
  readFileSync(new URL('../conformance/workflows.json', import.meta.url), 'utf8'),
) as readonly Case[];

interface Source {
  readonly start?: { readonly type?: string };
  readonly functions?: readonly { readonly type?: string }[];
  readonly states?: readonly { readonly type?: string }[];
}

function isBuilt(yaml: string): boolean {
  const { start, functions = [], states = [] } = load(yaml) as Source;
  const isPlain = (start?.type ?? 'default') === 'default' && functions.every(({ type }) => type === 'subflow');
  return isPlain && states.every(({ type = 'noop' }) => BUILT.has(type));
}

const isRunnable = (row: Case): boolean =>
  row.secrets === undefined &&
  (row.children ?? []).every(({ yaml }) => isBuilt(yaml)) &&
  LEFT_OUT[row.name] === undefined &&
  isBuilt(row.yaml);

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

async function outcomeOf(row: Case, namespace: string): Promise<Json> {
  const workflow = `/api/namespaces/${namespace}/tree/${row.path ?? 'main'}`;
  for (const child of row.children ?? []) expect((await storeAt(namespace, child.path, child.yaml)).status).toBe(200);
  expect((await storeAt(namespace, row.path ?? 'main', row.yaml)).text).toContain('"revision"');
  const waited = await client.call('POST', `${workflow}?op=wait`, { body: bodyOf(row) });
  const id = waited.headers.get('Service-Instance-Id');
  const shown = await client.call('GET', `/api/namespaces/${namespace}/instances/${id}`);
  return { instance: shown.json()['instance'], output: waited.status === 200 ? waited.json() : null } as Json;
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
        expect(instance?.['status']).toBe(row.expect.upstreamStatus ?? row.expect.status);
        if (row.expect.errorCode !== undefined) expect(instance?.['errorCode']).toBe(row.expect.errorCode);
        if (row.expect.output !== undefined && output !== null) expect(output).toEqual(row.expect.output);
      }
      passed += 1;
    },
  );
});
