import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { curlLine, variableOf } from '../../lib/engine/requests/webhooks/curl.ts';
import { type Client, openOwnClient } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const SECRET = `it's "a" $ecret`;

let client: Client;
let workspace: Workspace;
beforeAll(async () => {
  client = await openOwnClient();
  await client.call('PUT', '/api/namespaces/shop');
  await client.call('PUT', '/api/namespaces/shop/secrets/my.hook', { body: SECRET });
  await client.call('PUT', '/api/namespaces/shop/tree/git?op=create-directory');
  workspace = await openWorkspace(client, 'shop');
});
afterAll(async () => {
  await workspace.clear();
  await client.close();
});

async function store(path: string, verify: string): Promise<void> {
  const body = `start: {type: webhook, verify: ${verify}, reply: wait}\nstates: [{id: a, type: noop, transform: {got: jq(.body)}}]\n`;
  const { status } = await client.call('PUT', `/api/namespaces/shop/tree/${path}?op=create-workflow`, { body });
  expect(status).toBe(200);
}

test('the webhooks of all directories are listed with their URLs', async () => {
  await store('git/push', '{github: my.hook}');
  await client.call('PUT', '/api/namespaces/shop/tree/plain?op=create-workflow', {
    body: 'states: [{id: a, type: noop}]\n',
  });
  const { out } = await workspace.weft(['webhooks']);
  expect(out.split('\n').map((line) => line.split(/ {2,}/))).toContainEqual([
    '/git/push',
    'github',
    `${client.url}/api/hooks/shop/git/push`,
  ]);
  expect(out).not.toContain('plain');
});

describe('the curl line of a webhook', () => {
  test.each([
    ['github', '{github: my.hook}'],
    ['stripe', '{stripe: my.hook}'],
    ['slack', '{slack: my.hook}'],
    ['standard', '{standard: my.hook}'],
    [
      'hmac',
      "{hmac: {secret: my.hook, header: X-S, encoding: base64, algorithm: sha512, prefix: 'a$\"=', timestamp: X-T, delivery: X-D}}",
    ],
    ['basic', "{basic: {user: 'a\"b', password: my.hook}}"],
    ['none', '{none: true}'],
  ])('is accepted by a webhook that is verified by %s', async (name, verify) => {
    await store(`by-${name}`, verify);
    const body = `{"text":"it's $5"}`;
    const { curl } = (await workspace.weft(['webhooks', `by-${name}`, '--data', body, '--json'])).json();
    const env = { PATH: process.env['PATH'], [variableOf('my.hook')]: SECRET };
    const { stdout } = await promisify(execFile)('sh', ['-c', String(curl)], { env });
    expect(JSON.parse(stdout)).toEqual({ got: { text: "it's $5" } });
  });

  test('has the secret of a URL in its query', () => {
    expect(curlLine('https://w/api/hooks/a/b', { kind: 'url', secret: 'S' }, '{}')).toMatch(
      /^url='https:\/\/w\/api\/hooks\/a\/b'; .*"\$url\?secret=\$S"/,
    );
  });
});

test('a workflow without a webhook has no URL', async () => {
  const { err, code } = await workspace.weft(['webhooks', 'plain']);
  expect([code, err]).toEqual([1, expect.stringContaining("'plain' has no webhook")]);
});
