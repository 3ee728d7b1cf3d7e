import { Writable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { localChanges } from '../../../lib/adapters/local/changes.ts';
import { GONE, HEARTBEAT } from '../../../lib/api/streams/frames.ts';
import { EventStream, type Look, PACE, type StreamParts } from '../../../lib/api/streams/stream.ts';
import { notFound, ServiceError } from '../../../lib/domain/errors.ts';
import type { Watch, Woken } from '../../../lib/ports/changes.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import { MemoryTable } from '../../contract/memory-table.ts';

/** What a watch says, one wait after the other; a wait that is `quiet` takes all of its time. Then it is over. */
interface Script {
  readonly wakes: readonly Woken[];
  /** What each look finds: the JSON, which is its own id, or what it throws. The last is found again. */
  readonly finds: readonly (string | Error)[];
  readonly parts?: Partial<StreamParts>;
}

const table = new MemoryTable();
const news = (json: string, seen: string | undefined) => ({ json, id: json, isNews: json !== seen, hasMore: false });

/** A stream whose time passes only in waits; a look is told at what second it happens. */
function scripted({ wakes, finds, parts = {} }: Script) {
  let now = 0;
  const lookedAt: number[] = [];
  const script = [...wakes];
  const results = [...finds];
  const look: Look = async (_table, seen) => {
    lookedAt.push(now / 1000);
    const found = (results.length > 1 ? results.shift() : results[0]) ?? '';
    if (found instanceof Error) throw found;
    return news(found, seen);
  };
  let isClosed = false;
  const watch: Watch = {
    begin: () => table,
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
  const fixed = { seen: undefined, until: Number.POSITIVE_INFINITY, isPlain: false, onFault };
  const stream = new EventStream({ look, table, watch, clock, pace: { ...PACE, rest: 0 }, ...fixed, ...parts });
  return { stream, lookedAt, isClosed: () => isClosed };
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
  test('shows at once what there is, and again what changed', async () => {
    const text = await textOf({ wakes: ['changed', 'changed'], finds: ['1', '2', '3'] });
    expect(text).toBe(frame('1') + frame('2') + frame('3'));
  });

  test('does not repeat what it showed last', async () => {
    const text = await textOf({ wakes: ['changed', 'changed', 'changed'], finds: ['1', '1', '2', '1'] });
    expect(text).toBe(frame('1') + frame('2') + frame('1'));
  });

  test('gives a sign of life after five seconds without an event, and every five from then on', async () => {
    const { stream, lookedAt } = scripted({ wakes: ['quiet', 'quiet', 'changed', 'quiet'], finds: ['1', '2'] });
    const text = (
      await stream
        .toReadable(await stream.open())
        .setEncoding('utf8')
        .toArray()
    ).join('');
    expect(text).toBe(frame('1') + HEARTBEAT + HEARTBEAT + frame('2') + HEARTBEAT);
    expect(lookedAt).toEqual([0, 10]);
  });

  test('looks after a minute without being told of a change', async () => {
    const quiet = Array.from({ length: 13 }, (): Woken => 'quiet');
    const { stream, lookedAt } = scripted({ wakes: quiet, finds: ['1', '2'] });
    const text = (
      await stream
        .toReadable(await stream.open())
        .setEncoding('utf8')
        .toArray()
    ).join('');
    expect(lookedAt).toEqual([0, 60]);
    expect(text.endsWith(HEARTBEAT + frame('2') + HEARTBEAT)).toBe(true);
  });

  test('keeps beating though looks that find nothing come between', async () => {
    const { stream } = scripted({ wakes: ['changed', 'quiet', 'changed', 'quiet'], finds: ['1'] });
    const text = (
      await stream
        .toReadable(await stream.open())
        .setEncoding('utf8')
        .toArray()
    ).join('');
    expect(text).toBe(frame('1') + HEARTBEAT + HEARTBEAT);
  });

  test('begins with a sign of life for somebody who has seen what there is', async () => {
    expect(await textOf({ wakes: ['changed'], finds: ['1', '2'], parts: { seen: '1' } })).toBe(HEARTBEAT + frame('2'));
  });

  test('begins with what there is for somebody who has seen something else', async () => {
    expect(await textOf({ wakes: [], finds: ['2'], parts: { seen: '1' } })).toBe(frame('2'));
  });

  test('goes on at once while there is more than fits into one event', async () => {
    const all = ['1', '2', '3'];
    const look: Look = async (_table, seen) => {
      const json = all[all.indexOf(seen ?? '') + 1] ?? '3';
      return { ...news(json, seen), hasMore: json !== '3' };
    };
    expect(await textOf({ wakes: [], finds: [], parts: { look } })).toBe(all.map(frame).join(''));
  });

  test('ends when its time is over, though nothing is wrong', async () => {
    const wakes = Array.from({ length: 10 }, (): Woken => 'quiet');
    expect(await textOf({ wakes, finds: ['1'], parts: { until: 12_000 } })).toBe(frame('1') + HEARTBEAT + HEARTBEAT);
  });

  test('ends with an error for what is not there, and with its end for what was deleted', async () => {
    const missing = 'event: error\ndata: {"Code":5,"Message":"namespace not found"}\n\n';
    expect(await textOf({ wakes: ['changed'], finds: [notFound('namespace')] })).toBe(missing);
    expect(await textOf({ wakes: ['changed'], finds: ['1', notFound('instance')] })).toBe(frame('1') + GONE);
  });

  test('ends when the key is no longer good', async () => {
    const finds = ['1', new ServiceError('unauthorized', 'the key is not known')];
    const end = 'event: error\ndata: {"Code":16,"Message":"the key is not known"}\n\n';
    expect(await textOf({ wakes: ['changed'], finds })).toBe(frame('1') + end);
  });

  test('tells nothing of a fault of ours but where to look for it', async () => {
    const finds = ['1', new Error('password')];
    const end = 'event: error\ndata: {"Code":2,"Message":"look under 7"}\n\n';
    expect(await textOf({ wakes: ['changed'], finds })).toBe(frame('1') + end);
  });

  test.each([
    ['a fault of ours', new Error('password'), false],
    ['a request that cannot be read', new ServiceError('bad-list', 'limit'), false],
    ['what is not there, where a plain reply is wanted', notFound('inode'), true],
  ])('is not opened for %s', async (_what, mistake, isPlain) => {
    const { stream, isClosed } = scripted({ wakes: [], finds: [mistake], parts: { isPlain } });
    await expect(stream.open()).rejects.toBe(mistake);
    expect(isClosed()).toBe(true);
  });

  test('looks only as fast as its reader reads, and then shows the latest', async () => {
    let latest = 0;
    let looks = 0;
    const look: Look = async (_table, seen) => {
      looks += 1;
      return news(String(latest), seen);
    };
    const wakes = Array.from({ length: 1000 }, (): Woken => 'changed');
    const { stream } = scripted({ wakes, finds: [], parts: { look } });
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
    // One event lies ready for the moment the reader goes on.
    latest = 1;
    await vi.waitUntil(() => looks === 2);
    for (latest = 2; latest < 100; latest += 1) await new Promise(setImmediate);
    expect(arrived).toEqual([frame('0')]);
    expect(looks).toBe(2);
    take();
    await vi.waitUntil(() => arrived.length === 2);
    take();
    await vi.waitUntil(() => arrived.length === 3);
    expect(arrived[2]).toBe(frame('100'));
    body.destroy();
  });

  test('does no more work once its reader has left', async () => {
    const changes = localChanges();
    const told = changes.observe(new MemoryTable());
    let looks = 0;
    const look: Look = async (reader, seen) => {
      looks += 1;
      await reader.query({ table: 'runs', pk: 'a' });
      return news(String(looks), seen);
    };
    const { stream } = scripted({ wakes: [], finds: [], parts: { look, table: told, watch: changes.watch(told) } });
    const body = stream.toReadable(await stream.open());
    body.resume();
    await new Promise(setImmediate);
    body.destroy();
    await told.write([{ do: 'put', table: 'runs', item: { pk: 'a', sk: '1' } }]);
    await new Promise(setImmediate);
    expect([looks, changes.watchCount, changes.keyCount]).toEqual([1, 0, 0]);
  });

  test('makes one event of a burst of changes', async () => {
    const changes = localChanges();
    const told = changes.observe(new MemoryTable());
    const counts: number[] = [];
    const look: Look = async (reader, seen) => {
      const { count } = await reader.query({ table: 'runs', pk: 'a' });
      counts.push(count);
      return news(String(count), seen);
    };
    const parts = { look, table: told, watch: changes.watch(told), pace: PACE };
    const { stream } = scripted({ wakes: [], finds: [], parts });
    const events = stream
      .toReadable(await stream.open())
      .setEncoding('utf8')
      .iterator();
    await events.next();
    for (let n = 0; n < 100; n += 1) {
      await told.write([{ do: 'put', table: 'runs', item: { pk: 'a', sk: String(n) } }]);
    }
    expect((await events.next()).value).toBe(frame('100'));
    expect(counts).toEqual([0, 100]);
    await events.return?.();
  });
});
