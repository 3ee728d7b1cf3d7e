import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bus, Message } from '../../lib/ports/bus.ts';

/** A bus, and the messages that it delivered. Times are milliseconds since 1970. */
export interface BusBench {
  readonly bus: Bus;
  readonly delivered: readonly { readonly message: Message; readonly at: number }[];
  now(): number;
  /** Advances the time; resolves when the messages that are due are delivered. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** A message with this id. */
export function messageOf(id: string, more: Partial<Message> = {}): Message {
  return {
    namespaceId: 'n1',
    namespace: 'orders',
    record: { pk: `events#${id}`, sk: 'e' },
    id,
    type: 'com.example.made',
    source: '/test',
    event: JSON.stringify({ specversion: '1.0', id, type: 'com.example.made', source: '/test' }),
    ...more,
  };
}

/** The contract of the port `Bus`. */
export function busContract(open: () => Promise<BusBench>): void {
  let bench: BusBench;
  beforeEach(async () => {
    bench = await open();
  });
  afterEach(() => bench.close());

  const ids = (): string[] => bench.delivered.map(({ message }) => message.id);

  test('a message is delivered as it was published', async () => {
    const odd = 'quote " backslash \\ newline \n null \u0000 snow ☃ 🎿';
    const messages = [messageOf('a', { type: odd, source: odd, event: odd }), messageOf('b', { replay: 'r1' })];
    const { event: _, ...small } = messageOf('c');
    await bench.bus.publish([...messages, small]);
    await bench.pass(1);
    const byId = bench.delivered.map(({ message }) => message).toSorted((a, b) => a.id.localeCompare(b.id));
    expect(byId).toEqual([...messages, small]);
  });

  test('any number of messages can be published in one call', async () => {
    const all = Array.from({ length: 257 }, (_, index) => `m${index}`);
    await bench.bus.publish(all.map((id) => messageOf(id)));
    await bench.pass(1);
    expect(new Set(ids())).toEqual(new Set(all));
  });

  test('a call without messages succeeds', async () => {
    await bench.bus.publish([]);
    await bench.pass(1);
    expect(ids()).toEqual([]);
  });

  test('a message with a long type is delivered with the whole type', async () => {
    const type = '🎿'.repeat(500);
    await bench.bus.publish([messageOf('a', { type })]);
    await bench.pass(1);
    expect(bench.delivered[0]?.message.type).toBe(type);
  });

  test('a delayed message is delivered at its time, not before', async () => {
    const at = bench.now() + 90_000;
    await bench.bus.publishAt(at, 'later', messageOf('a'));
    await bench.pass(60_000);
    expect(ids()).toEqual([]);
    await bench.pass(60_000);
    expect(ids()).toEqual(['a']);
    expect(bench.delivered[0]?.at).toBeGreaterThanOrEqual(at);
  });

  test('a message for a past time is delivered at once', async () => {
    await bench.bus.publishAt(bench.now() - 90_000, 'late', messageOf('a'));
    await bench.pass(1);
    expect(ids()).toEqual(['a']);
  });

  test('a second message with the same name is ignored, before and after its time', async () => {
    const at = bench.now() + 10_000;
    await bench.bus.publishAt(at, 'once', messageOf('a'));
    await bench.bus.publishAt(at + 5_000, 'once', messageOf('b'));
    await bench.bus.publishAt(at, 'other', messageOf('c'));
    await bench.pass(20_000);
    await bench.bus.publishAt(bench.now(), 'once', messageOf('d'));
    await bench.pass(20_000);
    expect(ids().toSorted()).toEqual(['a', 'c']);
  });

  test('a name can have any length and characters', async () => {
    const names = ['a b', 'a/b', 'event-☃', 'x'.repeat(300), 'x'.repeat(301)];
    for (const name of names) await bench.bus.publishAt(bench.now() + 1000, name, messageOf(name));
    await bench.pass(2000);
    expect(ids().toSorted()).toEqual(names.toSorted());
  });
}
