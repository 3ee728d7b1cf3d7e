import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient, rowsOf } from '../access/client.ts';

/** The implemented state types; workflows with others are compiled and rejected. */
const BUILT = new Set(['noop', 'switch', 'validate', 'setter', 'getter', 'error']);

interface Recording {
  readonly name: string;
  readonly yaml: string;
  readonly subflows: unknown;
  readonly input: unknown;
  readonly createStatus: number;
  readonly createBody: string | null;
  readonly execStatus?: number;
  readonly flow?: readonly string[];
  readonly status?: string;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly output?: string;
  readonly logs?: readonly string[];
  readonly metadata?: string;
}

const all = readFileSync(new URL('../../conformance/runs.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recording);

interface Source {
  readonly start?: { readonly type?: string };
  readonly states?: readonly { readonly type?: string }[];
}

function isBuilt({ yaml, subflows, execStatus }: Recording): boolean {
  const { start, states = [] } = load(yaml) as Source;
  const isPlain = (start?.type ?? 'default') === 'default' && subflows === null && execStatus === 200;
  return isPlain && states.every(({ type = 'noop' }) => BUILT.has(type));
}

/** The deviations of Weft, each with its reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'tf-js-loop': 'a script that never ends is an error after ten seconds; the original never ended the run',
  'tf-js-throw': 'the place inside the script engine is not part of the message',
  'get-binary-var': 'reads a variable that the recording session had set beforehand',
  'tf-bignum': 'an integer that no script computes with keeps its digits; the original rounds it',
  'get-system-vars': 'holds the time and random ids',
  'error-args-obj': 'arguments that are no text are printed as JSON, not as Go prints its maps and floats',
};

const applicable = all.filter((row) => isBuilt(row) && LEFT_OUT[row.name] === undefined);

/** The original omits the first violation of a schema, and the query that had several outputs; Weft adds them. */
const named = (text: string): string =>
  text.replace(/(JSONSchema validation: ).*/s, '$1<nil>').replace(/(produced multiple outputs): .*/s, '$1');

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/recorded');
});

afterAll(async () => {
  console.log(`recorded runs: ${applicable.length} applicable of ${all.length}`);
  await client.close();
});

/** The recording contains raw bodies as texts. */
function bodyTextOf(input: unknown): string {
  if (input === null) return '';
  return typeof input === 'string' ? input : JSON.stringify(input);
}

const branded = (text: string): string => text.replaceAll('direktiv.', 'service.');

async function untilOver(instance: string): Promise<void> {
  for (;;) {
    const shown = (await client.call('GET', instance)).json();
    if (String(shown['instance']?.['status']) !== 'pending') return;
    await setTimeout(20);
  }
}

async function runOf(row: Recording, name: string) {
  const workflow = `/api/namespaces/recorded/tree/${name}`;
  const stored = await client.call('PUT', `${workflow}?op=create-workflow`, { body: row.yaml });
  expect(stored.status, stored.text).toBe(200);
  const body = bodyTextOf(row.input);
  const started = await client.call('POST', `${workflow}?op=execute`, { body });
  const instance = `/api/namespaces/recorded/instances/${started.json()['instance']}`;
  await untilOver(instance);
  const [shown, output, logs] = await Promise.all(
    ['', '/output', '/logs'].map(async (view) => (await client.call('GET', instance + view)).json()),
  );
  return {
    status: shown?.['instance']?.['status'],
    errorCode: shown?.['instance']?.['errorCode'],
    errorMessage: String(shown?.['instance']?.['errorMessage']),
    flow: shown?.['flow'],
    output: Buffer.from(String(output?.['data']), 'base64').toString(),
    // The line that explains a failure is Weft's.
    logs: rowsOf(logs?.['results'])
      .map((line) => String(line['msg']))
      .filter((line) => !line.startsWith('Where: ')),
  };
}

describe('recorded runs', () => {
  test.each(applicable.map((row, index) => [row.name, row, `run-${index}`] as const))('%s', async (_, row, name) => {
    const run = await runOf(row, name);
    expect({ ...run, errorMessage: named(run.errorMessage), logs: run.logs.map(named) }).toEqual({
      status: row.status,
      errorCode: branded(row.errorCode ?? ''),
      errorMessage: branded(row.errorMessage ?? ''),
      flow: row.flow,
      output: branded(row.output ?? ''),
      logs: row.logs?.map(branded),
    });
  });
});
