import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../../lib/compiler/compile.ts';
import type { State } from '../../../lib/compiler/emit/asl.ts';
import { emit } from '../../../lib/compiler/emit/emit.ts';
import { STATES } from '../../../lib/compiler/states/index.ts';
import { INTERNAL, KIND_OF } from '../../../lib/engine/evaluation/failures.ts';
import { type Client, openClient } from '../access/client.ts';

const docs = new URL('../../../docs/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, docs), 'utf8');
const pages = readdirSync(new URL('states/', docs))
  .map((file) => file.replace('.md', ''))
  .filter((page) => page !== 'README');
/** The name of a page is its type in lower case with hyphens. */
const typeOf = (page: string): string => page.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/handbook');
});

afterAll(() => client.close());

const FENCE = /^```\w+\n(.*?)\n```$/gms;
const SUBFLOW = /^The subflow `(\w+)`:\n\n```yaml\n(.*?)\n```$/gms;

const storeWorkflow = (path: string, body: string) =>
  client.call('PUT', `/api/namespaces/handbook/tree/${path}?op=create-workflow`, { body });

describe('docs/states', () => {
  test.each(pages)('has an example of %s with the documented result', async (name) => {
    const page = read(`states/${name}.md`);
    const type = typeOf(name);
    for (const [, path = '', yaml = ''] of page.matchAll(SUBFLOW)) await storeWorkflow(path, yaml);
    const example = page.slice(Math.max(page.indexOf('\n## Example'), 0));
    const [yaml = '', input = '', result = ''] = [...example.replaceAll(SUBFLOW, '').matchAll(FENCE)].map(
      ([, text]) => text,
    );
    expect(yaml).toContain(`type: ${type}\n`);
    const stored = await storeWorkflow(name, yaml);
    expect(stored.status, stored.text).toBe(200);
    const workflow = `/api/namespaces/handbook/tree/${name}`;
    const answer = await client.call('POST', `${workflow}?op=wait`, { body: input });
    if (answer.status === 200) expect(answer.json()).toEqual(JSON.parse(result));
    else expect(answer.text).toMatch(new RegExp(`^An error occurred executing instance \\S+: ${result}\n$`));
  });

  test('has a page for every implemented state, and names the others', () => {
    const index = read('states/README.md');
    const rows = [...index.matchAll(/^\| \[`(\w+)`\]\(([\w-]+)\.md\) \|/gm)];
    expect(rows.map(([, type]) => type).toSorted()).toEqual(pages.map(typeOf).toSorted());
    expect(rows.filter(([, type, page = '']) => typeOf(page) !== type)).toEqual([]);
    const all = new Set(Object.keys(STATES));
    expect([...all].filter((type) => !index.includes(`\`${type}\``))).toEqual([]);
  });
});

describe('docs/starts.md', () => {
  test('has workflows that compile', () => {
    const shown = [...read('starts.md').matchAll(FENCE)].map(([, yaml = '']) => compile(yaml));
    expect(shown.map((compiled) => ('plan' in compiled ? compiled.plan.start.type : compiled))).toEqual([
      'event',
      'event',
      'eventsAnd',
      'scheduled',
      'scheduled',
    ]);
  });
});

describe('docs/how-it-runs.md', () => {
  const page = read('how-it-runs.md');
  const [yaml = '', machine = '{}'] = [...page.matchAll(FENCE)].map(([, text]) => text);
  const shown = JSON.parse(machine) as Record<string, State>;

  test('has the machine of its workflow', () => {
    const compiled = compile(yaml);
    if (!('plan' in compiled)) throw new Error('the workflow does not compile');
    const { definition, tier } = emit(compiled.plan);
    const hidden = new Set(['Retry', 'Catch', 'Arguments', 'Assign', 'Output']);
    const emitted = Object.entries(definition.States).map(([name, state]) => {
      return [name, Object.fromEntries(Object.entries(state).filter(([field]) => !hidden.has(field)))];
    });
    expect(shown).toEqual(Object.fromEntries(emitted));
    expect([Object.keys(shown)[0], tier]).toEqual([definition.StartAt, 'STANDARD']);
  });

  test('has the number of transitions of paths in the machine that begins at the first wait', () => {
    const compiled = compile(yaml);
    if (!('plan' in compiled)) throw new Error('the workflow does not compile');
    const { StartAt, States } = emit(compiled.plan, 'firstWait').definition;
    const rows = [...page.matchAll(/^\| .+ \| (`.+`) \| (\d+) \|$/gm)];
    expect(rows.length).toBe(2);
    for (const [, entered = '', count] of rows) {
      const way = [...entered.matchAll(/`(.+?)`/g)].map(([, name = '']) => name);
      expect(way.length).toBe(Number(count));
      expect(way[0]).toBe(StartAt);
      const leads = way.map((name) => JSON.stringify(States[name]));
      for (const [index, next] of way.slice(1).entries()) expect(leads[index]).toContain(`"Next":"${next}"`);
      expect(leads.at(-1)).toContain('"End":true');
    }
  });
});

describe('docs/errors.md', () => {
  test('has every code of the engine with its kind', () => {
    const rows = [...read('errors.md').matchAll(/^\| `service\.([\w.]+)` \| (\w+) \|/gm)];
    const documented = Object.fromEntries(rows.map(([, code, kind]) => [code, kind]));
    expect(documented).toMatchObject({ ...KIND_OF, [INTERNAL]: 'internal' });
  });
});
