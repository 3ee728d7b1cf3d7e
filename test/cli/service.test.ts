import { describe, expect, test } from 'vitest';
import { type Answering, answerJson, openFakeServer } from './fake-server.ts';
import { openWorkspace } from './workspace.ts';

/** The outcome of a command with a fake server, and the number of its requests. */
async function ask(args: readonly string[], answer: Answering) {
  const server = await openFakeServer(answer);
  const workspace = await openWorkspace();
  try {
    const { code, out, err } = await workspace.weft([...args, '--url', server.url, '--key', 'k']);
    return { code, out, err: err.replaceAll(server.url, 'URL'), asked: server.asked.length };
  } finally {
    server.close();
    await workspace.clear();
  }
}

const LIST = { pageInfo: { total: 0 }, results: [] };
const list = ['namespaces', 'list'];
const create = ['namespaces', 'create', 'a'];

describe('a call', () => {
  test.each([
    ['a request without side effects is retried after a broken connection', list, 2],
    ['a request with side effects is not', create, 1],
  ])('%s', async (_, args, times) => {
    const { code, asked } = await ask(args, (__, response, nth) => {
      if (nth === 1) response.destroy();
      else answerJson(response, LIST);
    });
    expect({ code, asked }).toEqual({ code: times === 1 ? 3 : 0, asked: times });
  });

  test('is retried if the service is too busy', async () => {
    for (const args of [list, create]) {
      const { code, asked } = await ask(args, (__, response, nth) => {
        answerJson(response, nth < 3 ? { code: 503, message: 'try again' } : LIST, nth < 3 ? 503 : 200);
      });
      expect({ code, asked }).toEqual({ code: 0, asked: 3 });
    }
  });

  test('ends with the error of the service if it stays too busy', async () => {
    const { code, err, asked } = await ask(list, (__, response) => answerJson(response, { message: 'later' }, 503));
    expect({ code, err, asked }).toEqual({ code: 1, err: 'weft: 503: later\n', asked: 4 });
  });

  test('ends with 3 if the reply is incomplete', async () => {
    const { code, out, err } = await ask(list, (__, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"results":');
      response.socket?.end();
    });
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/^weft: the reply of URL is incomplete: .*; try again\n$/);
  });

  test('prints only the first line of an error', async () => {
    const { err } = await ask(list, (__, response) => response.writeHead(500).end('broken\nat line 1\n'));
    expect(err).toBe('weft: 500: broken\n');
  });
});
