import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeFunctions } from '../../../../lib/adapters/aws/containers/teardown.ts';
import { type ReconcileRound, reconcile } from '../../../../lib/adapters/aws/containers/revisions/reconcile.ts';
import { callOf } from '../../local/containers/stage/caller.ts';
import { refusal } from '../server.ts';
import {
  aws,
  close,
  containersOf,
  firstStarted,
  ID,
  images,
  LONG,
  later,
  NAME,
  open,
  optionsOf,
  prepared,
  READY,
  revision,
  runAll,
  source,
  statusOf,
  THROTTLED,
  table,
  time,
  VERSION,
  world,
} from './stage/desk.ts';

beforeEach(open);
afterEach(close);

describe('preparing a revision', () => {
  test('makes a function of its image, with the memory of its size, and publishes it', async () => {
    expect(await prepared()).toEqual(READY);
    const fn = world.functions.get(NAME);
    expect(fn?.input).toEqual({
      FunctionName: NAME,
      PackageType: 'Image',
      Code: { ImageUri: expect.stringMatching(/\.amazonaws\.com\/weft-containers@sha256:[0-9a-f]{64}$/) },
      Architectures: ['x86_64'],
      Role: 'arn:aws:iam::123456789012:role/weft-containers/role',
      Description: `Container service: ${ID}`,
      MemorySize: 1024,
      Timeout: 900,
      EphemeralStorage: { Size: 2048 },
      LoggingConfig: { LogGroup: '/aws/lambda/weft-container-services' },
    });
    expect(fn?.versions).toHaveLength(1);
    const digest = fn?.image.split('@')[1];
    expect(images.manifests.has(`weft-containers:${NAME}`)).toBe(true);
    expect(images.manifests.has(`weft-containers@${digest}`)).toBe(true);
  });

  test('takes one request of Step Functions, and touches neither Lambda nor a registry', async () => {
    await containersOf().prepare(revision());
    expect(world.done).toEqual(['StartExecution']);
    expect([...source.asked, ...images.asked]).toEqual([]);
    expect(world.started).toEqual([
      { id: ID, turn: time, tries: 0, name: expect.stringMatching(/^[0-9a-f]{40}-\d+$/) },
    ]);
  });

  test('keeps no credentials that could be read, and none at all once it is ready', async () => {
    await containersOf().prepare(revision());
    const item = async () => (await table.get([{ table: 'catalog', pk: `container#${ID}`, sk: '.' }]))[0] ?? {};
    expect(Object.keys(await item())).toEqual(expect.arrayContaining(['sealed', 'dataKey']));
    expect(Buffer.from(JSON.stringify(await item())).toString()).not.toContain('right');
    await runAll();
    expect(Object.keys(await item())).not.toEqual(expect.arrayContaining(['sealed']));
    expect(world.started.map((input) => JSON.stringify(input)).join()).not.toContain('right');
  });

  test('tells on its way what it is at', async () => {
    await containersOf().prepare(revision());
    expect(await statusOf()).toMatchObject({ state: 'preparing', reason: '' });
    const seen: string[] = [];
    const watched = table.write.bind(table);
    table.write = async (writes) => {
      for (const write of writes) if (write.do === 'update') seen.push(String(write.set?.['reason'] ?? ''));
      return watched(writes);
    };
    await runAll();
    expect([...new Set(seen)]).toEqual(['Pulling', 'Preparing', 'Pushing', '', 'Creating']);
  });

  test('of the same id again changes nothing', async () => {
    await prepared();
    await containersOf().prepare(revision({ image: 'other' }));
    expect(world.started).toHaveLength(1);
    expect(await statusOf()).toEqual(READY);
  });

  test('keeps copies running where that is wanted', async () => {
    expect(await prepared({ minScale: 2 })).toEqual(READY);
    expect(world.functions.get(NAME)?.kept).toMatchObject({ wanted: 2, version: '1' });
  });

  test('of a revision that nobody prepared is not heard of', async () => {
    expect(await containersOf().status(['none', ID])).toEqual([undefined, undefined]);
  });

  test('is possible', async () => {
    expect(await containersOf().problem()).toBeUndefined();
  });
});

describe('a revision that cannot run', () => {
  test('says why, and can be prepared again', async () => {
    const credentials = [{ url: `http://${source.host}`, user: 'ada', token: 'wrong' }];
    expect(await prepared({ credentials })).toMatchObject({
      state: 'failed',
      reason: 'Unauthorized',
      message: expect.stringContaining("refuses the credentials of 'ada'"),
    });
    later(1);
    expect(await prepared()).toEqual(READY);
  });

  test('because Lambda does not make it ready says what Lambda says, and leaves no function in the way', async () => {
    Object.assign(world.outcome, { state: 'Failed', reason: 'The image is odd', code: 'InvalidImage' });
    expect(await prepared()).toMatchObject({ state: 'failed', reason: 'InvalidImage', message: 'The image is odd' });
    expect(world.functions.size).toBe(0);
    world.outcome.state = 'Active';
    later(1);
    expect(await prepared()).toEqual(READY);
  });

  test('because Lambda refuses its image says so', async () => {
    world.first['CreateFunction'] = [refusal('InvalidParameterValueException')];
    expect(await prepared()).toMatchObject({
      state: 'failed',
      reason: 'Refused',
      message: 'refused: InvalidParameterValueException',
    });
  });

  test('because no copies can be kept running says so', async () => {
    world.outcome.kept = 'FAILED';
    expect(await prepared({ minScale: 3 })).toMatchObject({
      state: 'failed',
      reason: 'CannotScale',
      message: '3 cannot be kept running: there is no room',
    });
  });

  test('because what should pass does not is given up after many tries', async () => {
    world.first['CreateFunction'] = Array.from({ length: 20 }, () => THROTTLED);
    expect(await prepared()).toMatchObject({
      state: 'failed',
      reason: 'GivenUp',
      message: 'it failed 10 times, at last so: refused: TooManyRequestsException',
    });
    expect(world.first['CreateFunction']).toHaveLength(9);
  });

  test('because the machine gave up says why', async () => {
    await containersOf().prepare(revision());
    world.first['GetFunction'] = [{ ...refusal('AccessDeniedException'), status: 403 }];
    await expect(runAll()).rejects.toThrow('AccessDeniedException');
    expect(await statusOf()).toMatchObject({ state: 'preparing' });
    const { id, turn } = firstStarted();
    expect(await reconcile(optionsOf(), { id, turn, problem: 'AccessDeniedException: no' }, LONG)).toEqual({ id, turn });
    expect(await statusOf()).toMatchObject({
      state: 'failed',
      reason: 'GivenUp',
      message: 'AccessDeniedException: no',
    });
  });
});

describe('removing a revision', () => {
  test('takes its function and the tag of its image away', async () => {
    await prepared();
    await containersOf().remove(ID);
    expect(await statusOf()).toBeUndefined();
    await runAll();
    expect(world.functions.size).toBe(0);
    expect(new Set(world.tagsRemoved)).toEqual(new Set([NAME]));
    expect(await table.get([{ table: 'catalog', pk: `container#${ID}`, sk: '.' }])).toEqual([undefined]);
  });

  test('that is not there, or was removed before, is fine', async () => {
    await containersOf().remove(ID);
    expect(world.started).toEqual([]);
    await prepared();
    await containersOf().remove(ID);
    await containersOf().remove(ID);
    expect(world.started).toHaveLength(2);
    await runAll();
    await runAll();
    expect(world.functions.size).toBe(0);
  });

  test.each(['Pulling', 'Pushing', 'Creating'])('while it is at %s leaves nothing behind', async (reason) => {
    await containersOf().prepare(revision());
    const making = firstStarted();
    const write = table.write.bind(table);
    table.write = async (writes) => {
      await write(writes);
      const [first] = writes;
      if (first?.do !== 'update' || first.set?.['reason'] !== reason) return;
      table.write = write;
      // All of the removal happens before the next request of the work.
      await containersOf().remove(ID);
      const { id, turn } = world.started.at(-1) ?? making;
      await reconcile(optionsOf(), { id, turn }, LONG);
    };
    let round: ReconcileRound = { ...making, seconds: 0 };
    while (round.seconds !== undefined) round = await reconcile(optionsOf(), round, LONG);
    expect(world.functions.size).toBe(0);
    expect(world.tagsRemoved.length).toBeGreaterThan(1);
    expect(await statusOf()).toBeUndefined();
  });

  test('and preparing it again makes it anew', async () => {
    await prepared();
    await containersOf().remove(ID);
    await runAll();
    later(1);
    expect(await prepared()).toEqual(READY);
  });
});

describe('deleting the installation', () => {
  test('takes the functions of all containers away, and no others', async () => {
    for (const name of ['weft--container-a', 'other', 'weft--container-b', 'weft-steps', 'weft--container-c']) {
      const empty = { input: {}, image: '', state: 'Active', lastUpdate: 'Successful', looks: 0, versions: [] };
      world.functions.set(name, { name, ...empty });
    }
    const client = new LambdaClient({ ...aws.config, maxAttempts: 1 });
    expect(await removeFunctions('weft--container-', client)).toBe(3);
    expect([...world.functions.keys()]).toEqual(['other', 'weft-steps']);
  });
});

describe('calling a revision', () => {
  test('waits until it is ready', async () => {
    await containersOf().prepare(revision());
    const deadline = time + 60_000;
    const { failure, body } = await containersOf().call(ID, callOf({}, { deadline }));
    expect(failure).toBeUndefined();
    expect(Buffer.from(body).toString()).toBe('{}');
  });

  test('calls the version that was published', async () => {
    await prepared();
    await containersOf().call(ID, callOf({ a: 1 }, { deadline: time + 60_000 }));
    expect(aws.asked.at(-1)?.path).toBe(`/2021-11-15/functions/${VERSION}/response-streaming-invocations`);
  });

  test('whose function somebody deleted has it prepared again by who asks next', async () => {
    await prepared();
    world.functions.clear();
    const call = () => containersOf().call(ID, callOf({}, { deadline: time + 60_000 }));
    expect((await call()).failure).toEqual({
      code: '',
      message: expect.stringContaining('function of this service was deleted'),
    });
    expect(await statusOf()).toBeUndefined();
    later(1);
    expect(await prepared()).toEqual(READY);
    expect((await call()).failure).toBeUndefined();
  });

  test('that failed, or is not there, fails with why', async () => {
    await prepared({ image: `${source.host}/demo/none:1` });
    const call = () => containersOf().call(ID, callOf({}, { deadline: time + 60_000 }));
    expect((await call()).failure).toEqual({
      code: '',
      message: expect.stringMatching(/^the service cannot run: .* has no image/),
    });
    await containersOf().remove(ID);
    const message = `the revision '${ID}' was never prepared, or is removed`;
    expect((await call()).failure).toEqual({ code: '', message });
  });
});
