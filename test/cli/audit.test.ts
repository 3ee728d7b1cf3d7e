import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, openOwnClient, rowsOf } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

let client: Client;
let workspace: Workspace;

beforeAll(async () => {
  client = await openOwnClient();
  workspace = await openWorkspace(client, 'shop');
  for (const name of ['shop', 'yard']) await client.call('PUT', `/api/namespaces/${name}`);
  await client.call('PUT', '/api/namespaces/shop/secrets/token', { body: 'swordfish' });
});
afterAll(async () => {
  await workspace.clear();
  await client.close();
});

const actionsOf = async (...args: readonly string[]): Promise<unknown[]> =>
  rowsOf((await workspace.weft(['audit', '--json', ...args])).json()).map(({ action }) => action);

test('weft audit lists the changes of all namespaces, the newest first, as a table', async () => {
  const { code, out } = await workspace.weft(['audit']);
  const [head, ...lines] = out.trim().split('\n');
  expect(code).toBe(0);
  expect(head).toMatch(/^TIME +ACTOR +ACTION +NAMESPACE +TARGET +OUTCOME +ADDRESS$/);
  expect(lines[0]).toMatch(/ admin +createSecret +shop +secret=token +done \(200\) +\S*127\.0\.0\.1$/);
  expect(lines).toHaveLength(3);
  expect(out).not.toContain('swordfish');
});

test('weft audit filters by namespace, key and time, and limits the number of entries', async () => {
  expect(await actionsOf('--namespace', 'yard')).toEqual(['createNamespace']);
  expect(await actionsOf('--actor', 'admin', '--limit', '2')).toEqual(['createSecret', 'createNamespace']);
  expect(await actionsOf('--actor', 'another')).toEqual([]);
  expect(await actionsOf('--end', '2020-01-01T00:00:00Z')).toEqual([]);
  expect(await actionsOf('--start', '2020-01-01T00:00:00Z')).toHaveLength(3);
});

test('weft audit rejects a text that is not a time, and arguments', async () => {
  expect((await workspace.weft(['audit', '--start', 'yesterday'])).err).toContain(
    "start is 'yesterday', which is not an RFC 3339 time",
  );
  expect((await workspace.weft(['audit', 'shop'])).err).toContain("audit takes no arguments, but got 'shop'");
});
