import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Json, openClient } from './client.ts';

/** The state types that run; the others are compiled and refused. */
const BUILT = new Set(['noop', 'switch', 'validate', 'setter', 'getter', 'error']);

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
  readonly children?: readonly unknown[];
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
  readonly states?: readonly { readonly type?: string }[];
}

function isBuilt(yaml: string): boolean {
  const { start, states = [] } = load(yaml) as Source;
  return (start?.type ?? 'default') === 'default' && states.every(({ type = 'noop' }) => BUILT.has(type));
}

const isRunnable = (row: Case): boolean =>
  row.children === undefined && row.secrets === undefined && LEFT_OUT[row.name] === undefined && isBuilt(row.yaml);

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

async function outcomeOf(row: Case, namespace: string): Promise<Json> {
  const workflow = `/api/namespaces/${namespace}/tree/${row.path ?? 'main'}`;
  const stored = await client.call('PUT', `${workflow}?op=create-workflow`, { body: row.yaml });
  expect(stored.text).toContain('"revision"');
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
      for (const folder of (row.path ?? '').split('/').slice(0, -1)) {
        await client.call('PUT', `/api/namespaces/${namespace}/tree/${folder}?op=create-directory`);
      }
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
