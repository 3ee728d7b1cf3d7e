import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Door } from '../../../lib/adapters/local/requests/door.ts';
import { FairLine } from '../../../lib/adapters/local/requests/fair-line.ts';

let now: number;
let door: Door;
let order: string[];
let pauses: { readonly resume: () => void; readonly ms: number }[];
beforeEach(() => {
  now = 0;
  pauses = [];
  door = new Door(
    () => now,
    (resume, ms) => pauses.push({ resume, ms }),
  );
  order = [];
});

// The turn of a door ends with its test.
afterEach(() => nextTurn());

/** A request whose work takes so many milliseconds from its entry on. */
async function request(tenant: string, ms: number, name = tenant): Promise<void> {
  const turn = door.enter(tenant);
  if (turn !== undefined) await turn;
  order.push(name);
  now += ms;
}

const requests = (count: number, tenant: string, ms: number): Promise<void>[] =>
  Array.from({ length: count }, (_, n) => request(tenant, ms, `${tenant}${n}`));

describe('the door', () => {
  test('lets requests pass at once while the turn of the event loop has time left', async () => {
    expect(door.enter('a')).toBeUndefined();
    now += 4;
    expect(door.enter('b')).toBeUndefined();
    now += 1;
    expect(door.enter('b')).toBeInstanceOf(Promise);
  });

  test('has time for requests again in the next turn', async () => {
    door.enter('a');
    now += 5;
    await nextTurn();
    expect(door.enter('a')).toBeUndefined();
  });

  test('lets the requests of a tenant in first come, first served, no later one before those that wait', async () => {
    await Promise.all([...requests(5, 'a', 5), nextTurn().then(() => request('a', 1, 'late'))]);
    expect(order).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'late']);
  });

  test('lets a tenant in before the next request of one that floods it', async () => {
    const flood = requests(10, 'flood', 20);
    await nextTurn();
    const before = order.length;
    await request('victim', 1);
    expect(order.slice(before)).toEqual(['victim']);
    const all = Promise.all(flood);
    while (order.length < 11) {
      pauses.pop()?.resume();
      await nextTurn();
    }
    await all;
  });

  test('weights tenants by the time that their requests take', async () => {
    await Promise.all([...requests(10, 'dear', 5), ...requests(100, 'cheap', 0.5)]);
    const dear = order.flatMap((name, at) => (name.startsWith('dear') ? [at] : []));
    const between = dear.slice(2, 10).map((at, index) => at - (dear[index + 1] ?? 0) - 1);
    expect(between.every((count) => count >= 9 && count <= 11)).toBe(true);
  });

  test('makes a tenant whose request took longer than a turn pause for as long, if another is present', async () => {
    await request('large', 50);
    await nextTurn();
    expect(pauses).toEqual([]);
    await request('small', 1);
    await request('large', 50);
    await nextTurn();
    expect(pauses.map(({ ms }) => ms)).toEqual([50]);
    const late = request('large', 1, 'late');
    // Others pass at once meanwhile.
    for (let turn = 0; turn < 10; turn += 1) {
      await nextTurn();
      expect(door.enter('small')).toBeUndefined();
    }
    expect(order).toEqual(['large', 'small', 'large']);
    pauses[0]?.resume();
    await late;
    expect(order.at(-1)).toBe('late');
  });

  test('lets a tenant pause for a tenth of a second at most, and not for one that left a second ago', async () => {
    await request('small', 1);
    await request('large', 500);
    await nextTurn();
    expect(pauses.map(({ ms }) => ms)).toEqual([100]);
    pauses[0]?.resume();
    now += 1001;
    await request('large', 500);
    await nextTurn();
    expect(pauses).toHaveLength(1);
  });
});

describe('the door charges a tenant for work outside the turns of its requests', () => {
  /** The order of two requests each of two tenants that wait, after so much work of `a` elsewhere. */
  async function orderAfter(ms: number): Promise<string[]> {
    await request('other', 5);
    const waiting = [...requests(3, 'a', 1), ...requests(3, 'b', 1)];
    door.charge('a', ms);
    await Promise.all(waiting);
    return order.slice(1);
  }

  test('so that it lets the others in first', async () => {
    expect((await orderAfter(0)).slice(0, 2)).toEqual(['a0', 'b0']);
    order = [];
    expect(await orderAfter(50)).toEqual(['b0', 'b1', 'b2', 'a0', 'a1', 'a2']);
  });

  test('once: not for work in the turn of its own request, nor the tenant whose request has entered last', async () => {
    await request('a', 4);
    door.charge('a', 4);
    await request('b', 1);
    now += 60;
    door.charge('c', 60);
    await nextTurn();
    expect(pauses).toEqual([]);
  });
});

test('work elsewhere that took longer gives the request that has entered last nothing back', async () => {
  await request('other', 5);
  const first = door.enter('b')?.then(() => {
    door.charge('elsewhere', 1000);
    now += 1;
  });
  await Promise.all([first, ...requests(4, 'b', 1), ...requests(4, 'a', 1)]);
  expect(order.indexOf('a1')).toBeLessThan(order.indexOf('b2'));
});

describe('requests without a key', () => {
  const flood = (count: number, addresses: number) =>
    Array.from({ length: count }, (_, n) => request(`without a key: ${n % addresses}`, 1, `s${n}`));

  test('of many addresses have the turns of one tenant', async () => {
    await request('other', 5);
    await Promise.all([...flood(40, 40), ...requests(4, 'tenant', 1)]);
    const places = order.slice(1).flatMap((name, at) => (name.startsWith('tenant') ? [at] : []));
    expect(places.at(-1)).toBeLessThanOrEqual(8);
    expect(order).toHaveLength(45);
  });

  test('take turns by address', async () => {
    await request('other', 5);
    const late = [...flood(20, 1), request('without a key: late', 1, 'late')];
    await Promise.all(late);
    expect(order.indexOf('late')).toBeLessThanOrEqual(3);
  });
});

describe('a fair line', () => {
  test('lets nobody save up: a tenant that comes later has no more than its share', () => {
    const line = new FairLine<number>();
    for (let n = 0; n < 10; n += 1) line.push('a', n);
    for (let n = 0; n < 5; n += 1) line.charge(line.shift()?.tenant ?? '', 10);
    for (let n = 0; n < 10; n += 1) line.push('b', n);
    const next = Array.from({ length: 6 }, () => {
      const tenant = line.shift()?.tenant ?? '';
      line.charge(tenant, 10);
      return tenant;
    });
    expect(next).toEqual(['b', 'a', 'b', 'a', 'b', 'a']);
  });

  test('is empty after the last', () => {
    const line = new FairLine<number>();
    line.push('a', 1);
    expect([line.size, line.shift(), line.size, line.shift()]).toEqual([1, { tenant: 'a', one: 1 }, 0, undefined]);
  });
});
