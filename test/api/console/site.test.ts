import { describe, expect, test } from 'vitest';
import type { ConsoleFiles } from '../../../lib/api/console/files.ts';
import { isSitePath, siteReply } from '../../../lib/api/console/site.ts';
import type { RequestHead } from '../../../lib/api/http/request.ts';

const CONTENTS = new Map([
  ['index.html', '<h1>all</h1>'],
  ['starts.html', '<h1>starts</h1>'],
  ['states/index.html', '<h1>states</h1>'],
  ['openapi.json', '{}'],
  ['assets/main-AB12CD34.js', ';'],
  ['assets/index.php', 'x'],
]);

const files: ConsoleFiles = {
  has: (path) => CONTENTS.has(path),
  read: async (path) => Buffer.from(CONTENTS.get(path) ?? ''),
};

const replyTo = (path: string, method = 'GET', built: ConsoleFiles | undefined = files) =>
  siteReply(built, { method, path, base: '/stage', headers: {} } as unknown as RequestHead);

describe('the pages at /docs', () => {
  test('are found by their file, by its name alone, and by their folder', async () => {
    for (const [path, body] of [
      ['/docs/', '<h1>all</h1>'],
      ['/docs/starts', '<h1>starts</h1>'],
      ['/docs/starts.html', '<h1>starts</h1>'],
      ['/docs/states/', '<h1>states</h1>'],
      ['/docs/openapi', '{}'],
    ] as const) {
      const reply = await replyTo(path);
      expect([path, reply.status, String(reply.body)]).toEqual([path, 200, body]);
      expect(reply.headers['Cache-Control']).toBe('no-cache');
      expect(reply.headers['Content-Security-Policy']).toContain("script-src 'self'");
    }
  });

  test('send a browser into the folder, because links are relative to it', async () => {
    expect((await replyTo('/docs')).headers['Location']).toBe('/stage/docs/');
    expect((await replyTo('/docs/states')).headers['Location']).toBe('/stage/docs/states/');
  });

  test('let a file be kept for ever whose name has a hash', async () => {
    const { headers } = await replyTo('/docs/assets/main-AB12CD34.js');
    expect([headers['Content-Type'], headers['Cache-Control']]).toEqual([
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
  });

  test('say where the index is if there is no such page, and send no file of another kind', async () => {
    for (const path of ['/docs/none', '/docs/../package.json', '/docs/%', '/docs/assets/index.php']) {
      const { status, body, headers } = await replyTo(path);
      expect([path, status, body]).toEqual([path, 404, 'no such page of the documentation; /docs/ lists all\n']);
      expect(headers['Content-Security-Policy']).toContain("default-src 'none'");
    }
  });

  test('are only read', async () => {
    expect([(await replyTo('/docs/', 'POST')).status, (await replyTo('/docs/', 'HEAD')).status]).toEqual([405, 200]);
  });

  test('name the command that makes them where they are not made', async () => {
    const { status, body } = await siteReply(undefined, { method: 'GET', path: '/docs/' } as unknown as RequestHead);
    expect([status, body]).toEqual([503, 'the documentation is not built: run npm run docs:site\n']);
  });

  test('have no other path', () => {
    expect([isSitePath('/docs'), isSitePath('/docs/a'), isSitePath('/docsy'), isSitePath('/api/docs')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
