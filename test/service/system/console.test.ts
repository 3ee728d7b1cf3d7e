import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareConsole } from '../../../bin/console/preparation.ts';
import { type Client, openClient } from '../access/client.ts';

let client: Client;

beforeAll(async () => {
  await prepareConsole();
  client = await openClient();
});

afterAll(() => client.close());

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  client.call('GET', path, { key: null, headers });

describe('the page of the console', () => {
  test('is served without a key at every address below /ui, and is asked for anew each time', async () => {
    const paths = ['/ui', '/ui/', '/ui/n/demo/runs?status=failed', '/ui/n/demo/tree/a/b.yaml'];
    for (const path of paths) {
      const page = await get(path);
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(page.text).toMatch(/<base href="[\w./~-]*\/ui\/">/);
    }
  });

  test('may run nothing but its own scripts, call nothing but its own service, and is shown in no frame', async () => {
    const { headers, text } = await get('/ui/');
    const policy = headers.get('content-security-policy') ?? '';
    const rules = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"];
    for (const rule of [...rules, "frame-ancestors 'none'", "require-trusted-types-for 'script'"]) {
      expect(policy).toContain(rule);
    }
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text).not.toMatch(/<script>|<style|style=|onload|https?:\/\//);
  });

  test('is where a browser is sent from the root; any other client gets what it got before', async () => {
    const sent = await get('/', { Accept: 'text/html,*/*' });
    expect([sent.status, sent.headers.get('location')?.endsWith('/ui/')]).toEqual([302, true]);
    const other = await get('/');
    expect([other.status, other.text]).toEqual([404, '404 page not found\n']);
  });

  test('is only read', async () => {
    expect((await client.call('POST', '/ui/', { body: 'x' })).status).toBe(405);
  });
});

describe('a file of the console', () => {
  test('is named by the page, and is kept for ever because its name holds a hash', async () => {
    const { text } = await get('/ui/');
    const names = [...text.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) {
      const file = await get(`/ui/${name}`);
      expect(file.status, name).toBe(200);
      expect(name).toMatch(/-[A-Z0-9]{8}\.\w+$/);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test.each([
    '/ui/assets/none.js',
    '/ui/assets/',
    '/ui/assets/..%2findex.html',
    '/ui/assets/..%2f..%2f..%2fpackage.json',
    '/ui/assets/%',
    '/ui/assets/main.js.map',
  ])('is nothing else: %s', async (path) => {
    const { status, text } = await get(path);
    expect(path.endsWith('%') ? [200, 404] : [404]).toContain(status);
    expect(text).not.toContain('"dependencies"');
  });
});
