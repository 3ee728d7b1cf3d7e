import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { toFrames } from '../../bin/cli/client/event-stream.ts';
import { serviceAt } from '../../bin/cli/client/service.ts';
import { followLog, followRun } from '../../bin/cli/client/streams.ts';
import { type Answering, answerJson, beginStream, openFakeServer } from './fake-server.ts';

async function framesOf(...chunks: readonly string[]) {
  async function* bytes() {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
  }
  const frames = [];
  for await (const frame of toFrames(bytes())) frames.push(frame);
  return frames;
}

describe('a stream of events', () => {
  test.each([
    ['a frame', ['data: {"a":1}\n\n'], [{ event: 'message', data: '{"a":1}', id: '' }]],
    ['data of several lines', ['data: a\ndata:b\ndata\n\n'], [{ event: 'message', data: 'a\nb\n', id: '' }]],
    [
      'an event with an id, which stays',
      ['id: 7\nevent: error\ndata: x\n\ndata: y\n\n'],
      [
        { event: 'error', data: 'x', id: '7' },
        { event: 'message', data: 'y', id: '7' },
      ],
    ],
    [
      'frames split anywhere',
      ['da', 'ta: a\r', '\n\r', '\nda', 'ta: b\n', '\n'],
      [
        { event: 'message', data: 'a', id: '' },
        { event: 'message', data: 'b', id: '' },
      ],
    ],
    ['split characters', ['data: \xc3', '\xa4\n\n'], [{ event: 'message', data: 'ä', id: '' }]],
    [
      'every kind of line end',
      ['data: a\r\rdata: b\r\n\r\n'],
      [
        { event: 'message', data: 'a', id: '' },
        { event: 'message', data: 'b', id: '' },
      ],
    ],
    ['comments and other fields', [': hello\nretry: 5\n\ndata: a\n\n'], [{ event: 'message', data: 'a', id: '' }]],
    ['an incomplete frame', ['data: a\n\ndata: b\n'], [{ event: 'message', data: 'a', id: '' }]],
  ])('is read with %s', async (_, chunks, frames) => {
    expect(await framesOf(...chunks)).toEqual(frames);
  });
});

const RUN = '/api/namespaces/n/instances/i';
const LINES = ['one', 'two', 'three'].map((msg, index) => ({ t: `2026-01-01T00:00:0${index}Z`, level: 'info', msg }));

const listOf = (rows: readonly unknown[], offset = 0) => ({
  pageInfo: { order: [], filter: [], limit: 0, offset, total: rows.length + offset },
  results: rows,
});
const runOf = (status: string) => ({ namespace: 'n', instance: { id: 'i', status, errorCode: '', errorMessage: '' } });
const frame = (value: unknown, id = '') => `${id === '' ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`;
const HEARTBEAT = 'data: \n\n';

/** Follows the run of a fake server, and returns the lines and the status of the run. */
async function follow(answer: Answering) {
  const server = await openFakeServer(answer);
  const lines: string[] = [];
  try {
    const service = serviceAt({ url: server.url, key: 'k' }, new AbortController().signal);
    const ending = await followRun(service, RUN, async ({ msg }) => void lines.push(msg));
    return { lines, status: ending.status, asked: server.asked };
  } finally {
    server.close();
  }
}

const isStream = (accept: string | undefined) => accept === 'text/event-stream';
const offsetIn = (url: string): number => Number(new URL(url, 'http://x').searchParams.get('offset') ?? 0);

describe('following a run', () => {
  test('passes each line once if the streams last', async () => {
    const open = new Map<string, Parameters<Answering>[1]>();
    const { lines, status, asked } = await follow(({ url, headers }, response) => {
      const { pathname } = new URL(url, 'http://x');
      if (!isStream(headers.accept)) return answerJson(response, listOf(LINES.slice(offsetIn(url)), offsetIn(url)));
      open.set(pathname, response);
      const isLog = pathname.endsWith('/logs');
      beginStream(
        response,
        isLog ? [frame(listOf(LINES.slice(0, 1))), HEARTBEAT] : [frame(runOf('pending')), HEARTBEAT],
      );
      if (open.size < 2) return;
      open.get(`${RUN}/logs`)?.write(frame(listOf(LINES.slice(1, 2), 1)));
      open.get(RUN)?.write(frame(runOf('complete')));
    });
    expect({ lines, status }).toEqual({ lines: ['one', 'two', 'three'], status: 'complete' });
    expect(asked.every(({ headers }) => headers['service-api-key'] === 'k' && headers['direktiv-token'] === 'k')).toBe(
      true,
    );
  });

  test('continues after the last event id if the stream breaks', async () => {
    const resumed: unknown[] = [];
    let isOver = false;
    const { lines, status } = await follow(({ url, headers }, response, nth) => {
      const { pathname } = new URL(url, 'http://x');
      if (!isStream(headers.accept)) {
        return answerJson(
          response,
          pathname.endsWith('/logs') ? listOf(LINES.slice(offsetIn(url)), offsetIn(url)) : runOf('complete'),
        );
      }
      if (pathname === RUN) {
        beginStream(response, [frame(runOf(isOver ? 'complete' : 'pending'))]);
        return void (isOver ? undefined : response.socket?.end());
      }
      resumed.push(headers['last-event-id']);
      if (nth === 1) {
        beginStream(response, [frame(listOf(LINES.slice(0, 2)), '2')]);
        return void response.socket?.end();
      }
      beginStream(response, [frame(listOf(LINES.slice(2), 2), '3')]);
      isOver = true;
    });
    expect({ lines, status, resumed: resumed.slice(0, 2) }).toEqual({
      lines: ['one', 'two', 'three'],
      status: 'complete',
      resumed: [undefined, '2'],
    });
  });

  test('repeats nothing if a stream without ids starts again', async () => {
    let isOver = false;
    const { lines } = await follow(({ url, headers }, response, nth) => {
      const { pathname } = new URL(url, 'http://x');
      if (!isStream(headers.accept)) return answerJson(response, listOf(LINES.slice(offsetIn(url)), offsetIn(url)));
      if (pathname === RUN) {
        beginStream(response, [frame(runOf(isOver ? 'complete' : 'pending'))]);
        return isOver ? undefined : response.end();
      }
      beginStream(response, [frame(listOf(LINES.slice(0, nth + 1)))]);
      isOver = nth > 1;
      if (nth === 1) response.end();
    });
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  test.each([
    ['replies with 501', (response: Parameters<Answering>[1]) => answerJson(response, { message: 'not built' }, 501)],
    ['replies with JSON', (response: Parameters<Answering>[1]) => answerJson(response, {})],
    ['breaks every stream', (response: Parameters<Answering>[1]) => response.destroy()],
  ])('polls if the server %s', async (_, refuse) => {
    const { lines, status } = await follow(({ url, headers }, response, nth) => {
      const { pathname } = new URL(url, 'http://x');
      if (isStream(headers.accept)) return refuse(response);
      if (pathname === RUN) return answerJson(response, runOf(nth > 8 ? 'failed' : 'pending'));
      const from = offsetIn(url);
      answerJson(response, listOf(LINES.slice(from, from + 1), from));
    });
    expect({ lines, status }).toEqual({ lines: ['one', 'two', 'three'], status: 'failed' });
  });

  test('reads the logs of servers without offsets', async () => {
    const edges = LINES.map((node) => ({ node, cursor: 'c' }));
    const { lines } = await follow(({ url, headers }, response) => {
      if (isStream(headers.accept)) return answerJson(response, { message: 'no' }, 405);
      const { pathname } = new URL(url, 'http://x');
      answerJson(
        response,
        pathname === RUN ? runOf('complete') : { totalCount: 3, pageInfo: { hasNextPage: false }, edges },
      );
    });
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  test('ends with the error of the server for a missing run', async () => {
    const missing: Answering = ({ headers }, response) => {
      if (!isStream(headers.accept)) return answerJson(response, { code: 404, message: 'instance not found' }, 404);
      beginStream(response, ['event: error\ndata: {"Code":5,"Message":"instance not found"}\n\n']);
      response.end();
    };
    await expect(follow(missing)).rejects.toThrow(/no run|instance not found/);
  });
});

/** Collects garbage several times, so that weak references are cleared and finalizers have run. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 10; round += 1) {
    collect();
    await setImmediate();
  }
}

describe('following a log', () => {
  test('ends when it is interrupted while nothing arrives, also after a garbage collection', async () => {
    const server = await openFakeServer((_, response) => beginStream(response, [frame(listOf(LINES.slice(0, 1)))]));
    const stop = new AbortController();
    const service = serviceAt({ url: server.url, key: 'k' }, stop.signal);
    const lines = followLog(service, '/api/logs', stop.signal);
    expect((await lines.next()).value).toMatchObject({ msg: 'one' });
    const next = expect(lines.next()).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    await collectGarbage();
    stop.abort();
    await next;
    server.close();
  });

  test('ends when it is interrupted while a line is shown, whatever else has arrived', async () => {
    const frames = LINES.map((line) => frame(listOf([line])));
    const server = await openFakeServer((_, response) => beginStream(response, [frames.join(HEARTBEAT)]));
    const stop = new AbortController();
    const service = serviceAt({ url: server.url, key: 'k' }, stop.signal);
    const shown: string[] = [];
    const show = async () => {
      for await (const { msg } of followLog(service, '/api/logs', stop.signal)) {
        shown.push(msg);
        stop.abort();
      }
    };
    await expect(show()).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    expect(shown).toEqual(['one']);
    server.close();
  });
});
