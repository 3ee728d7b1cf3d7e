import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ReconcileResult, reconcile } from '../../../../../lib/adapters/aws/containers/revisions/reconcile.ts';
import { errorReply } from '../../server.ts';
import {
  advanceTime,
  closeInstallation,
  containersOf,
  ecr,
  fakeAws,
  firstStarted,
  ID,
  LONG_MS,
  NAME,
  nodeRegistry,
  openInstallation,
  prepareAndRun,
  READY,
  reconcileOptions,
  registry,
  resetInstallation,
  revision,
  runAll,
  statusOf,
  THROTTLED,
  table,
} from '../fixtures/installation.ts';

beforeEach(openInstallation);
afterEach(closeInstallation);

describe('reconciling a revision', () => {
  test.each([
    'GetAuthorizationToken',
    'GetFunction',
    'CreateFunction',
    'PublishVersion',
    'GetFunctionConfiguration',
    'PutProvisionedConcurrencyConfig',
    'GetProvisionedConcurrencyConfig',
  ])('is retried with growing delays when %s is throttled', async (operation) => {
    fakeAws.firstReplies[operation] = [THROTTLED, THROTTLED];
    const delays: number[] = [];
    const messages: unknown[] = [];
    const write = table.write.bind(table);
    table.write = async (writes) => {
      for (const one of writes)
        if (one.do === 'update' && one.set?.['reason'] === 'Retrying') messages.push(one.set['message']);
      return write(writes);
    };
    await containersOf().prepare(revision({ minScale: 1 }));
    await runAll(({ seconds = 0, tries = 0 }) => {
      if (tries > 0) delays.push(seconds);
      return false;
    });
    expect(await statusOf()).toEqual(READY);
    expect(delays).toEqual([3, 6]);
    expect(messages).toEqual([0, 1].map(() => 'it is tried again: refused: TooManyRequestsException'));
  });

  test.each(['manifests', 'blobs', 'uploads'])('is retried when a registry is busy (%s)', async (what) => {
    for (const one of [registry, ecr]) one.nextErrors.push({ pattern: new RegExp(what), status: 503 });
    expect(await prepareAndRun()).toEqual(READY);
  });

  test('continues after a crash at any request, and publishes one version', async () => {
    await prepareAndRun({ minScale: 1 });
    const all = fakeAws.requests.length;
    expect(all).toBeGreaterThan(10);
    for (let crash = 2; crash < all; crash += 1) {
      await resetInstallation();
      await containersOf().prepare(revision({ minScale: 1 }));
      fakeAws.crashesAfter = crash;
      await expect(runAll()).rejects.toThrow('Crashed');
      await runAll();
      expect(await statusOf(), `after ${crash} requests`).toEqual(READY);
      expect(fakeAws.functions.get(NAME)?.versions).toHaveLength(1);
    }
  });

  test('continues after a crash at any write', async () => {
    await containersOf().prepare(revision({ minScale: 1 }));
    let [count, crash] = [0, Number.POSITIVE_INFINITY];
    const countWrites = () => {
      const write = table.write.bind(table);
      table.write = async (writes) => {
        await write(writes);
        count += 1;
        if (count === crash) throw new Error('crashed');
      };
    };
    countWrites();
    await runAll();
    const all = count;
    expect(all).toBeGreaterThan(4);
    for (let next = 1; next <= all; next += 1) {
      await resetInstallation();
      await containersOf().prepare(revision({ minScale: 1 }));
      [count, crash] = [0, next];
      countWrites();
      await expect(runAll()).rejects.toThrow('crashed');
      await runAll();
      expect(await statusOf(), `after ${next} writes`).toEqual(READY);
    }
  });

  test('creates a function with a timeout of 15 minutes, room for files, and no environment but that of the image', async () => {
    await prepareAndRun({ size: 2 });
    const { input } = fakeAws.functions.get(NAME) ?? { input: {} };
    expect(input).toMatchObject({ MemorySize: 2048, Timeout: 900, EphemeralStorage: { Size: 2048 } });
    expect(Object.keys(input)).not.toContain('Environment');
  });

  test('prepares Node once for all revisions, and reports it', async () => {
    const messages: unknown[] = [];
    const write = table.write.bind(table);
    table.write = async (writes) => {
      for (const one of writes) if (one.do === 'update') messages.push(one.set?.['message']);
      return write(writes);
    };
    await prepareAndRun();
    const requests = nodeRegistry.requests.length;
    await prepareAndRun({ id: `${ID}-2` });
    expect(nodeRegistry.requests).toHaveLength(requests);
    expect(messages.filter((message) => message === 'preparing Node, which runs beside every container')).toHaveLength(
      1,
    );
  });

  test('copies nothing twice after a crash', async () => {
    await containersOf().prepare(revision());
    let rounds = 0;
    await runAll(() => rounds++ > 0);
    const copied = registry.requests.length;
    expect(copied).toBeGreaterThan(0);
    await runAll();
    expect(registry.requests).toHaveLength(copied);
    expect(await statusOf()).toEqual(READY);
  });

  test('does nothing for an earlier turn', async () => {
    await containersOf().prepare(revision());
    const { id, turn } = firstStarted();
    expect(await reconcile(reconcileOptions(), { id, turn: turn - 1 }, LONG_MS)).toEqual({ id, turn: turn - 1 });
    expect(fakeAws.requests).toEqual(['StartExecution']);
    await runAll();
    expect(await reconcile(reconcileOptions(), { id, turn: turn - 1 }, LONG_MS)).toEqual({ id, turn: turn - 1 });
    expect(fakeAws.functions.size).toBe(1);
  });

  test('is repeated by preparing a revision of an older version of Weft', async () => {
    await prepareAndRun();
    const key = { table: 'catalog', pk: `container#${ID}`, sk: '.' } as const;
    await table.write([{ do: 'update', key, set: {}, remove: ['protocol'] }]);
    const message = 'another version of Weft prepared it; its next call prepares it again';
    expect(await statusOf()).toEqual({ ...READY, state: 'failed', reason: 'Outdated', message });
    const before = registry.requests.length;
    advanceTime(1);
    expect(await prepareAndRun()).toEqual(READY);
    expect(registry.requests.length).toBeGreaterThan(before);
  });

  test('updates a function that has another image than its tag', async () => {
    await prepareAndRun();
    const fn = fakeAws.functions.get(NAME);
    Object.assign(fn ?? {}, { image: 'other@sha256:0' });
    const { id, turn } = firstStarted();
    const key = { table: 'catalog', pk: `container#${ID}`, sk: '.' } as const;
    await table.write([{ do: 'update', key, set: { state: 'preparing' } }]);
    let round: ReconcileResult = { id, turn, seconds: 0 };
    while (round.seconds !== undefined) round = await reconcile(reconcileOptions(), round, LONG_MS);
    expect(fakeAws.requests).toContain('UpdateFunctionCode');
    expect(fn?.image).toMatch(/weft-containers@sha256:/);
    expect(await statusOf()).toEqual(READY);
  });

  test('deletes nothing of a later turn when an earlier one fails', async () => {
    await containersOf().prepare(revision());
    const earlier = firstStarted();
    fakeAws.firstReplies['CreateFunction'] = [errorReply('InvalidParameterValueException')];
    let isFirst = true;
    const write = table.write.bind(table);
    table.write = async (writes) => {
      const [first] = writes;
      if (isFirst && first?.do === 'update' && first.set?.['reason'] === 'Refused') {
        isFirst = false;
        // A later turn has created the function meanwhile.
        await write([{ do: 'update', key: first.key, set: { turn: earlier.turn + 1 } }]);
        let later: ReconcileResult = { id: ID, turn: earlier.turn + 1, seconds: 0 };
        while (later.seconds !== undefined) later = await reconcile(reconcileOptions(), later, LONG_MS);
      }
      return write(writes);
    };
    await reconcile(reconcileOptions(), earlier, LONG_MS);
    expect(isFirst).toBe(false);
    expect(fakeAws.functions.size).toBe(1);
    expect(await statusOf()).toEqual(READY);
  });

  test('is started again by a status request when it was not started, or has crashed', async () => {
    fakeAws.firstReplies['StartExecution'] = [errorReply('InvalidArn')];
    await expect(containersOf().prepare(revision())).rejects.toThrow('InvalidArn');
    await statusOf();
    expect(fakeAws.started).toHaveLength(0);
    advanceTime(61_000);
    await statusOf();
    expect(fakeAws.started).toHaveLength(1);
    let rounds = 0;
    await runAll(() => rounds++ > 0);
    advanceTime(61_000);
    await statusOf();
    expect(fakeAws.started).toHaveLength(1);
    advanceTime(20 * 60_000);
    await statusOf();
    expect(fakeAws.started).toHaveLength(2);
    await runAll();
    expect(await statusOf()).toEqual(READY);
  });
});
