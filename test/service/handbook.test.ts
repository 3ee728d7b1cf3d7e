import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STATES } from '../../lib/compiler/states/index.ts';
import { INTERNAL, KIND_OF } from '../../lib/engine/failures.ts';
import { type Client, openClient } from './client.ts';

const docs = new URL('../../docs/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, docs), 'utf8');
const types = readdirSync(new URL('states/', docs))
  .map((file) => file.replace('.md', ''))
  .filter((type) => type !== 'README');

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/handbook');
});

afterAll(() => client.close());

describe('docs/states', () => {
  test.each(types)('shows an example of %s that does what the page says', async (type) => {
    const [yaml = '', input = '', result = ''] = [...read(`states/${type}.md`).matchAll(/^```\w+\n(.*?)\n```$/gms)].map(
      ([, text]) => text,
    );
    expect(yaml).toContain(`type: ${type}\n`);
    const workflow = `/api/namespaces/handbook/tree/${type}`;
    const stored = await client.call('PUT', `${workflow}?op=create-workflow`, { body: yaml });
    expect(stored.status, stored.text).toBe(200);
    const answer = await client.call('POST', `${workflow}?op=wait`, { body: input });
    if (answer.status === 200) expect(answer.json()).toEqual(JSON.parse(result));
    else expect(answer.text).toMatch(new RegExp(`^An error occurred executing instance \\S+: ${result}\n$`));
  });

  test('has a page for every state that runs, and names those that do not', () => {
    const index = read('states/README.md');
    const rows = [...index.matchAll(/^\| \[`(\w+)`\]\(\1\.md\) \|/gm)].map(([, type]) => type);
    expect(rows.toSorted()).toEqual(types.toSorted());
    const all = new Set([...STATES.values()].map(({ names }) => names[0]));
    expect([...all].filter((type) => !index.includes(`\`${type}\``))).toEqual([]);
  });
});

describe('docs/errors.md', () => {
  test('has every code of the engine with its kind', () => {
    const rows = [...read('errors.md').matchAll(/^\| `service\.([\w.]+)` \| (\w+) \|/gm)];
    const told = Object.fromEntries(rows.map(([, code, kind]) => [code, kind]));
    expect(told).toMatchObject({ ...KIND_OF, [INTERNAL]: 'internal' });
  });
});
