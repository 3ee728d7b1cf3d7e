import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import { emit } from '../../lib/compiler/emit.ts';
import { type Client, openClient } from './client.ts';

interface Run {
  readonly input: unknown;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

const folder = new URL('../../examples/', import.meta.url);
const names = readdirSync(folder);
const read = (name: string, file: string): string => readFileSync(new URL(`${name}/${file}`, folder), 'utf8');

let client: Client;

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

describe.each(names)('example %s', (name) => {
  test('does what its runs say', async () => {
    const runs = load(read(name, 'runs.yaml')) as readonly Run[];
    const namespace = `/api/namespaces/${name}`;
    await client.call('PUT', namespace);
    const workflow = `${namespace}/tree/${name}`;
    const stored = await client.call('PUT', `${workflow}?op=create-workflow`, { body: read(name, 'workflow.yaml') });
    expect(stored.status, stored.text).toBe(200);
    for (const { input, output, error } of runs) {
      const answer = await client.call('POST', `${workflow}?op=wait`, { json: input });
      expect(answer.status, answer.text).toBe(error === undefined ? 200 : 500);
      if (error === undefined) expect(answer.json()).toEqual(output);
      else expect(answer.text).toContain(`${error.code}: ${error.message}`);
    }
    expect(runs.length).toBeGreaterThan(0);
  });

  test('becomes the state machine beside it', async () => {
    const compiled = compile(read(name, 'workflow.yaml'));
    if (!('plan' in compiled)) throw new Error('the example does not compile');
    const { definition } = emit(compiled.plan);
    await expect(`${JSON.stringify(definition, null, 2)}\n`).toMatchFileSnapshot(
      new URL(`${name}/machine.asl.json`, folder).pathname,
    );
  });
});
