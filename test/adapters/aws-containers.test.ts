import { ECRClient } from '@aws-sdk/client-ecr';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient } from '@aws-sdk/client-sfn';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { adapterLayers } from '../../lib/adapters/aws/containers/adapter-layer.ts';
import { lambdaContainers } from '../../lib/adapters/aws/containers/containers.ts';
import { Records } from '../../lib/adapters/aws/containers/records.ts';
import { removeFunctions } from '../../lib/adapters/aws/containers/teardown.ts';
import { nameOf, type Round, type WorkOptions, work } from '../../lib/adapters/aws/containers/work.ts';
import { guardOf } from '../../lib/adapters/aws/web.ts';
import { localSealer } from '../../lib/adapters/local/sealer.ts';
import type { ContainerRevision, RevisionStatus } from '../../lib/ports.ts';
import { MemoryTable } from '../contract/memory-table.ts';
import { ADAPTER, addAdapter, addImage } from './aws-containers/images.ts';
import { ARN, answer, newWorld, type World } from './aws-containers/lambda.ts';
import { type Store, startStore } from './aws-containers/store.ts';
import { type AwsServer, type Reply, refusal, startAwsServer } from './aws-server.ts';
import { callOf } from './containers/caller.ts';

const PREFIX = 'weft--container-';
const LONG = 900_000;
const ID = 'namespace-demo-fast-00001-abcdef';
const NAME = nameOf(PREFIX, ID);
const VERSION = `${ARN}${NAME}:1`;
const THROTTLED: Reply = { ...refusal('TooManyRequestsException'), status: 429 };

let source: Store;
let images: Store;
let aws: AwsServer;
let world: World;
let table: MemoryTable;
let time: number;
let adapters: Store;

beforeEach(async () => {
  world = newWorld();
  table = new MemoryTable();
  time = 1_000_000;
  [source, images, aws] = await Promise.all([
    startStore({ asks: 'basic', login: 'ada:right' }),
    startStore({ asks: 'basic', login: 'AWS:secret' }),
    startAwsServer((asked) => answer(world, asked)),
  ]);
  await addImage(source, 'demo/fast', '1');
  adapters = await startStore();
  await addAdapter(adapters);
});

afterEach(async () => {
  for (const one of [source, images, aws, adapters]) await one.close();
});

const sealer = localSealer();

function containersOf() {
  return lambdaContainers({
    table,
    sealer: () => sealer,
    machineArn: 'arn:machine',
    client: new LambdaClient({ ...aws.config, maxAttempts: 1 }),
    sfn: new SFNClient(aws.config),
    now: () => time,
    pause: async (milliseconds) => {
      time += milliseconds;
      await runAll();
    },
  });
}

function optionsOf(): WorkOptions {
  const guard = guardOf({ mayAskItself: true });
  return {
    records: new Records({ table, sealer: () => sealer, now: () => time }),
    client: new LambdaClient({ ...aws.config, maxAttempts: 1 }),
    ecr: new ECRClient({ ...aws.config, maxAttempts: 1 }),
    roleArn: 'arn:aws:iam::123456789012:role/weft-containers/role',
    logGroup: '/aws/lambda/weft-container-services',
    repositoryUri: '123456789012.dkr.ecr.eu-test-1.amazonaws.com/weft-containers',
    registryBase: images.base,
    namePrefix: PREFIX,
    guard,
    layerFor: adapterLayers(guard, `${adapters.host}/${ADAPTER}:1`),
  };
}

/** What the state machine does with every execution that was started, to its end. */
async function runAll(isDead: (round: Round) => boolean = () => false): Promise<void> {
  for (const { id, turn } of [...world.started]) {
    let round: Round = { id, turn, tries: 0, seconds: 0 };
    while (round.seconds !== undefined && !isDead(round)) round = await work(optionsOf(), round, LONG);
  }
}

const revision = (given: Partial<ContainerRevision> = {}): ContainerRevision => ({
  id: ID,
  image: `${source.host}/demo/fast:1`,
  command: [],
  environment: {},
  size: 1,
  minScale: 0,
  credentials: [{ url: `http://${source.host}`, user: 'ada', token: 'right' }],
  ...given,
});

async function statusOf(id = ID): Promise<RevisionStatus | undefined> {
  const [status] = await containersOf().status([id]);
  return status;
}

async function prepared(given: Partial<ContainerRevision> = {}): Promise<RevisionStatus | undefined> {
  await containersOf().prepare(revision(given));
  await runAll();
  return statusOf(given.id);
}

function firstStarted(): { readonly id: string; readonly turn: number } {
  const [first] = world.started;
  if (first === undefined) throw new Error('no execution was started');
  return first;
}

const READY = { id: ID, state: 'ready', reason: '', message: '', pods: [] };

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
      Environment: {
        Variables: {
          AWS_LWA_PORT: '8080',
          AWS_LWA_READINESS_CHECK_PROTOCOL: 'tcp',
          AWS_LWA_ASYNC_INIT: 'true',
        },
      },
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
    expect([...new Set(seen)]).toEqual(['Pulling', 'Pushing', '', 'Creating']);
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
    time += 1;
    expect(await prepared()).toEqual(READY);
  });

  test('because Lambda does not make it ready says what Lambda says, and leaves no function in the way', async () => {
    Object.assign(world.outcome, { state: 'Failed', reason: 'The image is odd', code: 'InvalidImage' });
    expect(await prepared()).toMatchObject({ state: 'failed', reason: 'InvalidImage', message: 'The image is odd' });
    expect(world.functions.size).toBe(0);
    world.outcome.state = 'Active';
    time += 1;
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
    expect(await work(optionsOf(), { id, turn, problem: 'AccessDeniedException: no' }, LONG)).toEqual({ id, turn });
    expect(await statusOf()).toMatchObject({
      state: 'failed',
      reason: 'GivenUp',
      message: 'AccessDeniedException: no',
    });
  });
});

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
    await containersOf().prepare(revision({ minScale: 1 }));
    await runAll(({ seconds = 0, tries = 0 }) => {
      if (tries > 0) pauses.push(seconds);
      return false;
    });
    expect(await statusOf()).toEqual(READY);
    expect(pauses).toEqual([3, 6]);
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
    expect(await work(optionsOf(), { id, turn: turn - 1 }, LONG)).toEqual({ id, turn: turn - 1 });
    expect(world.done).toEqual(['StartExecution']);
    await runAll();
    expect(await work(optionsOf(), { id, turn: turn - 1 }, LONG)).toEqual({ id, turn: turn - 1 });
    expect(world.functions.size).toBe(1);
  });

  test('puts the image that its tag leads to now in the place of one that failed', async () => {
    await prepared();
    const fn = world.functions.get(NAME);
    Object.assign(fn ?? {}, { image: 'other@sha256:0' });
    const { id, turn } = firstStarted();
    const key = { table: 'catalog', pk: `container#${ID}`, sk: '.' } as const;
    await table.write([{ do: 'update', key, set: { state: 'preparing' } }]);
    let round: Round = { id, turn, seconds: 0 };
    while (round.seconds !== undefined) round = await work(optionsOf(), round, LONG);
    expect(world.done).toContain('UpdateFunctionCode');
    expect(fn?.image).toMatch(/weft-containers@sha256:/);
    expect(await statusOf()).toEqual(READY);
  });

  test('that was never begun, or has died, is begun again when somebody looks', async () => {
    world.first['StartExecution'] = [refusal('InvalidArn')];
    await expect(containersOf().prepare(revision())).rejects.toThrow('InvalidArn');
    await statusOf();
    expect(world.started).toHaveLength(0);
    time += 61_000;
    await statusOf();
    expect(world.started).toHaveLength(1);
    let rounds = 0;
    await runAll(() => rounds++ > 0);
    time += 61_000;
    await statusOf();
    expect(world.started).toHaveLength(1);
    time += 20 * 60_000;
    await statusOf();
    expect(world.started).toHaveLength(2);
    await runAll();
    expect(await statusOf()).toEqual(READY);
  });
});

async function reset(): Promise<void> {
  world.functions.clear();
  world.done.length = 0;
  world.diesAfter = Number.POSITIVE_INFINITY;
  world.started.length = 0;
  images.manifests.clear();
  images.blobs.clear();
  table = new MemoryTable();
  time += 1;
}

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
      await work(optionsOf(), { id, turn }, LONG);
    };
    let round: Round = { ...making, seconds: 0 };
    while (round.seconds !== undefined) round = await work(optionsOf(), round, LONG);
    expect(world.functions.size).toBe(0);
    expect(world.tagsRemoved.length).toBeGreaterThan(1);
    expect(await statusOf()).toBeUndefined();
  });

  test('and preparing it again makes it anew', async () => {
    await prepared();
    await containersOf().remove(ID);
    await runAll();
    time += 1;
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
    expect(aws.asked.at(-1)?.path).toBe(`/2015-03-31/functions/${VERSION}/invocations`);
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
    time += 1;
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
