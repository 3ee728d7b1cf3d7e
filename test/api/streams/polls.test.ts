import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LocalChanges, localChanges } from '../../../lib/adapters/local/changes.ts';
import { unrestricted } from '../../../lib/api/http/access.ts';
import { type Routed, toCall } from '../../../lib/api/http/call.ts';
import { matchRoute } from '../../../lib/api/http/match.ts';
import { pollOf } from '../../../lib/api/streams/polls.ts';
import { EventStream, SNAPSHOT_INTERVALS } from '../../../lib/api/streams/stream.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import type { Table } from '../../../lib/ports/table.ts';
import { MemoryTable } from '../../contract/memory-table.ts';

const STREAMS = 50;
// A clock that stands still: all streams that a change wakes wait equally long, however long it took to open them.
const clock = { now: () => 0, uuid: () => '', secret: () => '' };

let changes: LocalChanges;
let table: Table;
let reads: number;
beforeEach(() => {
  reads = 0;
  const stored = new MemoryTable();
  changes = localChanges();
  table = changes.observe({
    get: (keys) => stored.get(keys),
    query: (query) => {
      reads += 1;
      return stored.query(query);
    },
    write: (writes) => stored.write(writes),
  });
});
afterEach(() => changes.close());

const write = (pk: string, sk: string) => table.write([{ do: 'put', table: 'runs', item: { pk, sk } }]);

/** The frames that a stream of the list of a partition sends. */
class Follower {
  readonly frames: string[] = [];
  #leave = () => {};

  /** Opens the stream; `path` is that of a route with a whole reply. */
  async open(pk: string, path = '/api/namespaces', enter?: () => Promise<void>): Promise<this> {
    const vault = { adminKey: async () => 'the-key' };
    const ports = { table, changes, clock, vault } as unknown as Ports;
    const routed = matchRoute('GET', path, {}) as Routed;
    const headers = { 'service-api-key': 'the-key' };
    const request = { method: 'GET', path, base: '', query: {}, headers, address: '', body: new Uint8Array() };
    const call = toCall(request, routed, {
      caller: unrestricted('admin', 'admin'),
      deadline: Number.POSITIVE_INFINITY,
    });
    const endpoint = async ({ table: watched }: Ports) => (await watched.query({ table: 'runs', pk })).count;
    const stream = new EventStream({
      poll: pollOf({ ports, request, routed, call, endpoint, source: undefined }, enter),
      watch: changes.watch(table),
      clock,
      intervals: SNAPSHOT_INTERVALS,
      lastEventId: undefined,
      deadline: Number.POSITIVE_INFINITY,
      hasPlainErrors: false,
      onFault: String,
      onEnd: async () => {},
    });
    const body = stream.toReadable(await stream.open());
    body.on('data', (frame) => this.frames.push(/^data: (.*)$/m.exec(String(frame))?.[1] ?? ''));
    this.#leave = () => void body.destroy();
    return this;
  }

  leave(): void {
    this.#leave();
  }
}

const openAll = (count: number, ...more: Parameters<Follower['open']>) =>
  Promise.all(Array.from({ length: count }, () => new Follower().open(...more)));

const allHave = (streams: readonly Follower[], frames: readonly string[]) =>
  expect.poll(() => streams.map((one) => one.frames)).toEqual(streams.map(() => frames));

test('what many streams watch is read once after a change, and all get the new state', async () => {
  const streams = await openAll(STREAMS, 'a');
  await allHave(streams, ['0']);
  for (const [index, frames] of [
    ['0', '1'],
    ['0', '1', '2'],
  ].entries()) {
    const before = reads;
    await write('a', String(index));
    await allHave(streams, frames);
    expect(reads - before).toBe(1);
  }
});

test('a change of something else costs streams nothing', async () => {
  const streams = await openAll(STREAMS, 'a');
  const before = reads;
  for (let n = 0; n < 20; n += 1) await write('b', String(n));
  await write('a', '1');
  await allHave(streams, ['0', '1']);
  expect(reads - before).toBe(1);
});

test('streams share a poll only of the same request', async () => {
  const streams = [...(await openAll(STREAMS, 'a')), ...(await openAll(STREAMS, 'a', '/api/logs'))];
  await expect.poll(() => changes.watchCount).toBe(2 * STREAMS);
  const before = reads;
  await write('a', '1');
  await allHave(streams, ['0', '1']);
  expect(reads - before).toBe(2);
});

test('a poll waits until it may begin, and a stream that leaves meanwhile takes nothing from those that share it', async () => {
  const entry = Promise.withResolvers<void>();
  const [leaving, ...others] = await openAll(3, 'a', '/api/namespaces', () => entry.promise);
  await allHave(others, ['0']);
  const before = reads;
  await write('a', '1');
  await expect.poll(() => changes.watchCount).toBe(3);
  leaving?.leave();
  await expect.poll(() => changes.watchCount).toBe(2);
  expect(reads).toBe(before);
  entry.resolve();
  await allHave(others, ['0', '1']);
  await write('a', '2');
  await allHave(others, ['0', '1', '2']);
});
