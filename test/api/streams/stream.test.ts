import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { localChanges } from '../../../lib/adapters/local/changes.ts';
import { GONE, HEARTBEAT } from '../../../lib/api/streams/frames.ts';
import { EventStream, LIST_INTERVALS, type Poll, type StreamOptions } from '../../../lib/api/streams/stream.ts';
import { notFound, ServiceError } from '../../../lib/domain/errors.ts';
import type { Watch, Woken } from '../../../lib/ports/changes.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import { MemoryTable } from '../../contract/memory-table.ts';

/** The results of a watch, one for each wait; a `quiet` wait takes its whole time. After the last, the watch is over. */
interface Script {
  readonly wakes: readonly Woken[];
  /** The result of each poll: the JSON, which is also its id, or the error. The last result is repeated. */
  readonly finds: readonly (string | Error)[];
  readonly options?: Partial<StreamOptions>;
}

const table = new MemoryTable();
const resultOf = (json: string, lastEventId: string | undefined) => ({
  json,
  id: json,
  hasChanged: json !== lastEventId,
  hasMore: false,
});

/** A stream whose time passes only in waits, and the seconds at which it polls. */
function scripted({ wakes, finds, options = {} }: Script) {
  let now = 0;
  const polledAt: number[] = [];
  const script = [...wakes];
  const results = [...finds];
  const poll: Poll = async (_watch, lastEventId) => {
    polledAt.push(now / 1000);
    const found = (results.length > 1 ? results.shift() : results[0]) ?? '';
    if (found instanceof Error) throw found;
    return resultOf(found, lastEventId);
  };
  let isClosed = false;
  let ended = 0;
  const watch: Watch = {
    begin: () => table,
    join: () => {},
    next: async (atMost) => {
      const woken = script.shift() ?? 'over';
      if (woken === 'quiet') now += atMost;
      return woken;
    },
    close: () => {
      isClosed = true;
    },
  };
  const clock: Clock = { now: () => now, uuid: () => '', secret: () => '' };
  const onFault = () => 'look under 7';
  const stream = new EventStream({
    poll,
    watch,
    clock,
    intervals: { ...LIST_INTERVALS, shortest: 0 },
    lastEventId: undefined,
    deadline: Number.POSITIVE_INFINITY,
    hasPlainErrors: false,
    onFault,
    onEnd: async () => {
      ended += 1;
    },
    ...options,
  });
  return { stream, polledAt, isClosed: () => isClosed, ended: () => ended };
}

async function textOf(script: Script): Promise<string> {
  const { stream } = scripted(script);
  const chunks = await stream
    .toReadable(await stream.open())
    .setEncoding('utf8')
    .toArray();
  return chunks.join('');
}

const frame = (json: string): string => `id: ${json}\ndata: ${json}\n\n`;

describe('an event stream', () => {
  test('sends the present state at once, and each later change', async () => {
    const text = await textOf({ wakes: ['changed', 'changed'], finds: ['1', '2', '3'] });
    expect(text).toBe(frame('1') + frame('2') + frame('3'));
  });

  test('does not send the same event twice in a row', async () => {
    const text = await textOf({ wakes: ['changed', 'changed', 'changed'], finds: ['1', '1', '2', '1'] });
    expect(text).toBe(frame('1') + frame('2') + frame('1'));
  });

  test('sends a heartbeat after each five seconds without an event', async () => {
    const { stream, polledAt } = scripted({ wakes: ['quiet', 'quiet', 'changed', 'quiet'], finds: ['1', '2'] });
    const text = (
      await stream
        .toReadable(await stream.open())
        .setEncoding('utf8')
        .toArray()
    ).join('');
    expect(text).toBe(frame('1') + HEARTBEAT + HEARTBEAT + frame('2') + HEARTBEAT);
    expect(polledAt).toEqual([0, 10]);
  });

  test('polls after a minute without being watched of a change', async () => {
    const quiet = Array.from({ length: 13 }, (): Woken => 'quiet');
    const { stream, polledAt } = scripted({ wakes: quiet, finds: ['1', '2'] });
    const text = (
      await stream
        .toReadable(await stream.open())
        .setEncoding('utf8')
        .toArray()
    ).join('');
    expect(polledAt).toEqual([0, 60]);
    expect(text.endsWith(HEARTBEAT + frame('2') + HEARTBEAT)).toBe(true);
  });

  test('sends heartbeats although polls without a change come between', async () => {
    const { stream } = scripted({ wakes: ['changed', 'quiet', 'changed', 'quiet'], finds: ['1'] });
    const text = (
      await stream
        .toReadable(await stream.open())
        .setEncoding('utf8')
        .toArray()
    ).join('');
    expect(text).toBe(frame('1') + HEARTBEAT + HEARTBEAT);
  });

  test('begins with a heartbeat for a client that has received the present state', async () => {
    expect(await textOf({ wakes: ['changed'], finds: ['1', '2'], options: { lastEventId: '1' } })).toBe(
      HEARTBEAT + frame('2'),
    );
  });

  test('begins with the present state for a client that has received another one', async () => {
    expect(await textOf({ wakes: [], finds: ['2'], options: { lastEventId: '1' } })).toBe(frame('2'));
  });

  test('polls again at once while there is more than fits into one event', async () => {
    const all = ['1', '2', '3'];
    const poll: Poll = async (_watch, lastEventId) => {
      const json = all[all.indexOf(lastEventId ?? '') + 1] ?? '3';
      return { ...resultOf(json, lastEventId), hasMore: json !== '3' };
    };
    expect(await textOf({ wakes: [], finds: [], options: { poll } })).toBe(all.map(frame).join(''));
  });

  test('ends at its deadline without an error', async () => {
    const wakes = Array.from({ length: 10 }, (): Woken => 'quiet');
    expect(await textOf({ wakes, finds: ['1'], options: { deadline: 12_000 } })).toBe(
      frame('1') + HEARTBEAT + HEARTBEAT,
    );
  });

  test('ends with an error for a missing object, and with an end event for a deleted one', async () => {
    const missing = 'event: error\ndata: {"Code":5,"Message":"namespace not found"}\n\n';
    expect(await textOf({ wakes: ['changed'], finds: [notFound('namespace')] })).toBe(missing);
    expect(await textOf({ wakes: ['changed'], finds: ['1', notFound('instance')] })).toBe(frame('1') + GONE);
  });

  test('ends when the key is no longer valid', async () => {
    const finds = ['1', new ServiceError('unauthorized', 'the key is not known')];
    const end = 'event: error\ndata: {"Code":16,"Message":"the key is not known"}\n\n';
    expect(await textOf({ wakes: ['changed'], finds })).toBe(frame('1') + end);
  });

  test('sends nothing about a fault of the service but the id under which it is logged', async () => {
    const finds = ['1', new Error('password')];
    const end = 'event: error\ndata: {"Code":2,"Message":"look under 7"}\n\n';
    expect(await textOf({ wakes: ['changed'], finds })).toBe(frame('1') + end);
  });

  test.each([
    ['a fault of the service', new Error('password'), false],
    ['an invalid request', new ServiceError('bad-list', 'limit'), false],
    ['a missing object, if errors are plain replies', notFound('inode'), true],
  ])('is not opened for %s', async (_what, mistake, isPlain) => {
    const { stream, isClosed } = scripted({ wakes: [], finds: [mistake], options: { hasPlainErrors: isPlain } });
    await expect(stream.open()).rejects.toBe(mistake);
    expect(isClosed()).toBe(true);
  });

  test('polls only as fast as its reader reads, and then sends the latest state', async () => {
    let latest = 0;
    let polls = 0;
    const poll: Poll = async (_watch, lastEventId) => {
      polls += 1;
      return resultOf(String(latest), lastEventId);
    };
    const wakes = Array.from({ length: 1000 }, (): Woken => 'changed');
    const { stream } = scripted({ wakes, finds: [], options: { poll } });
    const arrived: string[] = [];
    let take = () => {};
    const slow = new Writable({
      highWaterMark: 1,
      write: (chunk, _encoding, done) => {
        arrived.push(String(chunk));
        take = done;
      },
    });
    const body = stream.toReadable(await stream.open()).pipe(slow);
    // One event is buffered for the next read.
    latest = 1;
    await vi.waitUntil(() => polls === 2);
    for (latest = 2; latest < 100; latest += 1) await new Promise(setImmediate);
    expect(arrived).toEqual([frame('0')]);
    expect(polls).toBe(2);
    take();
    await vi.waitUntil(() => arrived.length === 2);
    take();
    await vi.waitUntil(() => arrived.length === 3);
    expect(arrived[2]).toBe(frame('100'));
    body.destroy();
  });

  test('does not poll after its reader has left', async () => {
    const changes = localChanges();
    const watched = changes.observe(new MemoryTable());
    let polls = 0;
    const poll: Poll = async (watch, lastEventId) => {
      polls += 1;
      await watch.begin().query({ table: 'runs', pk: 'a' });
      return resultOf(String(polls), lastEventId);
    };
    const { stream } = scripted({
      wakes: [],
      finds: [],
      options: { poll, watch: changes.watch(watched) },
    });
    const body = stream.toReadable(await stream.open());
    body.resume();
    await new Promise(setImmediate);
    body.destroy();
    await watched.write([{ do: 'put', table: 'runs', item: { pk: 'a', sk: '1' } }]);
    await new Promise(setImmediate);
    expect([polls, changes.watchCount, changes.keyCount]).toEqual([1, 0, 0]);
  });

  test('sends one event for a burst of changes', async () => {
    const changes = localChanges();
    const watched = changes.observe(new MemoryTable());
    const counts: number[] = [];
    const poll: Poll = async (watch, lastEventId, delay) => {
      await setTimeout(delay);
      const { count } = await watch.begin().query({ table: 'runs', pk: 'a' });
      counts.push(count);
      return resultOf(String(count), lastEventId);
    };
    const options: Partial<StreamOptions> = { poll, watch: changes.watch(watched), intervals: LIST_INTERVALS };
    const { stream } = scripted({ wakes: [], finds: [], options });
    const events = stream
      .toReadable(await stream.open())
      .setEncoding('utf8')
      .iterator();
    await events.next();
    for (let n = 0; n < 100; n += 1) {
      await watched.write([{ do: 'put', table: 'runs', item: { pk: 'a', sk: String(n) } }]);
    }
    expect((await events.next()).value).toBe(frame('100'));
    expect(counts).toEqual([0, 100]);
    await events.return?.();
  });
});
