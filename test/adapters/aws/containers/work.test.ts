import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ReconcileRound, reconcile } from '../../../../lib/adapters/aws/containers/revisions/reconcile.ts';
import { refusal } from '../server.ts';
import {
  close,
  containersOf,
  firstStarted,
  ID,
  images,
  LONG,
  later,
  NAME,
  nodes,
  open,
  optionsOf,
  prepared,
  READY,
  reset,
  revision,
  runAll,
  source,
  statusOf,
  THROTTLED,
  table,
  world,
} from './stage/desk.ts';

beforeEach(open);
afterEach(close);

describe('the work on a revision', () => {
  test.each([
    'GetAuthorizationToken',
    'GetFunction',
    'CreateFunction',
    'PublishVersion',
    'GetFunctionConfiguration',
    'PutProvisionedConcurrencyConfig',
    'GetProvisionedConcurrencyConfig',
  ])('is tried again, with longer pauses, when %s is throttled', async (operation) => {
    world.first[operation] = [THROTTLED, THROTTLED];
    const pauses: number[] = [];
    const told: unknown[] = [];
    const write = table.write.bind(table);
    table.write = async (writes) => {
      for (const one of writes)
        if (one.do === 'update' && one.set?.['reason'] === 'Retrying') told.push(one.set['message']);
      return write(writes);
    };
    await containersOf().prepare(revision({ minScale: 1 }));
    await runAll(({ seconds = 0, tries = 0 }) => {
      if (tries > 0) pauses.push(seconds);
      return false;
    });
    expect(await statusOf()).toEqual(READY);
    expect(pauses).toEqual([3, 6]);
    expect(told).toEqual([0, 1].map(() => 'it is tried again: refused: TooManyRequestsException'));
  });

  test.each(['manifests', 'blobs', 'uploads'])('is tried again when a registry is busy (%s)', async (what) => {
    for (const store of [source, images]) store.refusals.push({ sign: new RegExp(what), status: 503 });
    expect(await prepared()).toEqual(READY);
  });

  test('goes on after a death at any request, and does nothing twice', async () => {
    await prepared({ minScale: 1 });
    const all = world.done.length;
    expect(all).toBeGreaterThan(10);
    for (let death = 2; death < all; death += 1) {
      await reset();
      await containersOf().prepare(revision({ minScale: 1 }));
      world.diesAfter = death;
      await expect(runAll()).rejects.toThrow('Dead');
      await runAll();
      expect(await statusOf(), `after ${death} requests`).toEqual(READY);
      expect(world.functions.get(NAME)?.versions).toHaveLength(1);
    }
  });

  test('goes on after a death at anything that it notes', async () => {
    await containersOf().prepare(revision({ minScale: 1 }));
    let notes = 0;
    const count = () => {
      const write = table.write.bind(table);
      table.write = async (writes) => {
        await write(writes);
        notes += 1;
        if (notes === death) throw new Error('dead');
      };
    };
    let death = Number.POSITIVE_INFINITY;
    count();
    await runAll();
    const all = notes;
    expect(all).toBeGreaterThan(4);
    for (let next = 1; next <= all; next += 1) {
      await reset();
      await containersOf().prepare(revision({ minScale: 1 }));
      [notes, death] = [0, next];
      count();
      await expect(runAll()).rejects.toThrow('dead');
      await runAll();
      expect(await statusOf(), `after ${next} notes`).toEqual(READY);
    }
  });

  test('makes a function with 15 minutes, room for files, and nothing in its environment that is not the image’s', async () => {
    await prepared({ size: 2 });
    const { input } = world.functions.get(NAME) ?? { input: {} };
    expect(input).toMatchObject({ MemorySize: 2048, Timeout: 900, EphemeralStorage: { Size: 2048 } });
    expect(Object.keys(input)).not.toContain('Environment');
  });

  test('prepares Node once for all revisions, and says so', async () => {
    const told: unknown[] = [];
    const write = table.write.bind(table);
    table.write = async (writes) => {
      for (const one of writes) if (one.do === 'update') told.push(one.set?.['message']);
      return write(writes);
    };
    await prepared();
    const asked = nodes.asked.length;
    await prepared({ id: `${ID}-2` });
    expect(nodes.asked).toHaveLength(asked);
    expect(told.filter((message) => message === 'preparing Node, which runs beside every container')).toHaveLength(1);
  });

  test('does not begin anew what was copied', async () => {
    await containersOf().prepare(revision());
    let rounds = 0;
    await runAll(() => rounds++ > 0);
    const copied = source.asked.length;
    expect(copied).toBeGreaterThan(0);
    await runAll();
    expect(source.asked).toHaveLength(copied);
    expect(await statusOf()).toEqual(READY);
  });

  test('that is older than somebody’s last wish does nothing', async () => {
    await containersOf().prepare(revision());
    const { id, turn } = firstStarted();
    expect(await reconcile(optionsOf(), { id, turn: turn - 1 }, LONG)).toEqual({ id, turn: turn - 1 });
    expect(world.done).toEqual(['StartExecution']);
    await runAll();
    expect(await reconcile(optionsOf(), { id, turn: turn - 1 }, LONG)).toEqual({ id, turn: turn - 1 });
    expect(world.functions.size).toBe(1);
  });

  test('is done again for who needs a container that an older version of Weft made', async () => {
    await prepared();
    const key = { table: 'catalog', pk: `container#${ID}`, sk: '.' } as const;
    await table.write([{ do: 'update', key, set: {}, remove: ['speech'] }]);
    const message = 'it was made by another version of Weft; its next call has it made again';
    expect(await statusOf()).toEqual({ ...READY, state: 'failed', reason: 'Outdated', message });
    const updates = source.asked.length;
    later(1);
    expect(await prepared()).toEqual(READY);
    expect(source.asked.length).toBeGreaterThan(updates);
  });

  test('puts the image that its tag leads to now in the place of one that failed', async () => {
    await prepared();
    const fn = world.functions.get(NAME);
    Object.assign(fn ?? {}, { image: 'other@sha256:0' });
    const { id, turn } = firstStarted();
    const key = { table: 'catalog', pk: `container#${ID}`, sk: '.' } as const;
    await table.write([{ do: 'update', key, set: { state: 'preparing' } }]);
    let round: ReconcileRound = { id, turn, seconds: 0 };
    while (round.seconds !== undefined) round = await reconcile(optionsOf(), round, LONG);
    expect(world.done).toContain('UpdateFunctionCode');
    expect(fn?.image).toMatch(/weft-containers@sha256:/);
    expect(await statusOf()).toEqual(READY);
  });

  test('that fails after somebody’s later wish takes nothing of theirs away', async () => {
    await containersOf().prepare(revision());
    const old = firstStarted();
    world.first['CreateFunction'] = [refusal('InvalidParameterValueException')];
    let isFirst = true;
    const write = table.write.bind(table);
    table.write = async (writes) => {
      const [first] = writes;
      if (isFirst && first?.do === 'update' && first.set?.['reason'] === 'Refused') {
        isFirst = false;
        // It was thought dead, and another turn has made the function meanwhile.
        await write([{ do: 'update', key: first.key, set: { turn: old.turn + 1 } }]);
        let other: ReconcileRound = { id: ID, turn: old.turn + 1, seconds: 0 };
        while (other.seconds !== undefined) other = await reconcile(optionsOf(), other, LONG);
      }
      return write(writes);
    };
    await reconcile(optionsOf(), old, LONG);
    expect(isFirst).toBe(false);
    expect(world.functions.size).toBe(1);
    expect(await statusOf()).toEqual(READY);
  });

  test('that was never begun, or has died, is begun again when somebody looks', async () => {
    world.first['StartExecution'] = [refusal('InvalidArn')];
    await expect(containersOf().prepare(revision())).rejects.toThrow('InvalidArn');
    await statusOf();
    expect(world.started).toHaveLength(0);
    later(61_000);
    await statusOf();
    expect(world.started).toHaveLength(1);
    let rounds = 0;
    await runAll(() => rounds++ > 0);
    later(61_000);
    await statusOf();
    expect(world.started).toHaveLength(1);
    later(20 * 60_000);
    await statusOf();
    expect(world.started).toHaveLength(2);
    await runAll();
    expect(await statusOf()).toEqual(READY);
  });
});
