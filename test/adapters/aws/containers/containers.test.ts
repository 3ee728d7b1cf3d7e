import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ReconcileResult, reconcile } from '../../../../lib/adapters/aws/containers/revisions/reconcile.ts';
import { removeFunctions } from '../../../../lib/adapters/aws/containers/teardown.ts';
import { callOf } from '../../local/containers/fixtures/caller.ts';
import { errorReply } from '../server.ts';
import {
  advanceTime,
  aws,
  closeInstallation,
  containersOf,
  ecr,
  fakeAws,
  firstStarted,
  ID,
  LONG_MS,
  NAME,
  openInstallation,
  prepareAndRun,
  READY,
  reconcileOptions,
  registry,
  revision,
  runAll,
  statusOf,
  THROTTLED,
  table,
  time,
  VERSION,
} from './fixtures/installation.ts';

beforeEach(openInstallation);
afterEach(closeInstallation);

describe('preparing a revision', () => {
  test('creates a function of its image, with the memory of its size, and publishes a version', async () => {
    expect(await prepareAndRun()).toEqual(READY);
    const fn = fakeAws.functions.get(NAME);
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
    expect(ecr.manifests.has(`weft-containers:${NAME}`)).toBe(true);
    expect(ecr.manifests.has(`weft-containers@${digest}`)).toBe(true);
  });

  test('sends one request to Step Functions, and none to Lambda or a registry', async () => {
    await containersOf().prepare(revision());
    expect(fakeAws.requests).toEqual(['StartExecution']);
    expect([...registry.requests, ...ecr.requests]).toEqual([]);
    expect(fakeAws.started).toEqual([
      { id: ID, turn: time, tries: 0, name: expect.stringMatching(/^[0-9a-f]{40}-\d+$/) },
    ]);
  });

  test('stores credentials encrypted, and deletes them once the revision is ready', async () => {
    await containersOf().prepare(revision());
    const item = async () => (await table.get([{ table: 'catalog', pk: `container#${ID}`, sk: '.' }]))[0] ?? {};
    expect(Object.keys(await item())).toEqual(expect.arrayContaining(['sealed', 'dataKey']));
    expect(Buffer.from(JSON.stringify(await item())).toString()).not.toContain('right');
    await runAll();
    expect(Object.keys(await item())).not.toEqual(expect.arrayContaining(['sealed']));
    expect(fakeAws.started.map((input) => JSON.stringify(input)).join()).not.toContain('right');
  });

  test('reports its progress', async () => {
    await containersOf().prepare(revision());
    expect(await statusOf()).toMatchObject({ state: 'preparing', reason: '' });
    const reasons: string[] = [];
    const write = table.write.bind(table);
    table.write = async (writes) => {
      for (const one of writes) if (one.do === 'update') reasons.push(String(one.set?.['reason'] ?? ''));
      return write(writes);
    };
    await runAll();
    expect([...new Set(reasons)]).toEqual(['Pulling', 'Preparing', 'Pushing', '', 'Creating']);
  });

  test('with the same id again changes nothing', async () => {
    await prepareAndRun();
    await containersOf().prepare(revision({ image: 'other' }));
    expect(fakeAws.started).toHaveLength(1);
    expect(await statusOf()).toEqual(READY);
  });

  test('provisions concurrency for a minimum scale', async () => {
    expect(await prepareAndRun({ minScale: 2 })).toEqual(READY);
    expect(fakeAws.functions.get(NAME)?.provisioned).toMatchObject({ wanted: 2, version: '1' });
  });

  test('is unknown for an id that was never prepared', async () => {
    expect(await containersOf().status(['none', ID])).toEqual([undefined, undefined]);
  });

  test('has no known problem', async () => {
    expect(await containersOf().problem()).toBeUndefined();
  });
});

describe('a revision that cannot run', () => {
  test('has the reason in its status, and can be prepared again', async () => {
    const credentials = [{ url: `http://${registry.host}`, user: 'ada', token: 'wrong' }];
    expect(await prepareAndRun({ credentials })).toMatchObject({
      state: 'failed',
      reason: 'Unauthorized',
      message: expect.stringContaining("refuses the credentials of 'ada'"),
    });
    advanceTime(1);
    expect(await prepareAndRun()).toEqual(READY);
  });

  test('because its function does not become active has the reason of Lambda, and its function is deleted', async () => {
    Object.assign(fakeAws.outcome, { state: 'Failed', reason: 'The image is odd', code: 'InvalidImage' });
    expect(await prepareAndRun()).toMatchObject({
      state: 'failed',
      reason: 'InvalidImage',
      message: 'The image is odd',
    });
    expect(fakeAws.functions.size).toBe(0);
    fakeAws.outcome.state = 'Active';
    advanceTime(1);
    expect(await prepareAndRun()).toEqual(READY);
  });

  test('because Lambda rejects its image has the error of Lambda', async () => {
    fakeAws.firstReplies['CreateFunction'] = [errorReply('InvalidParameterValueException')];
    expect(await prepareAndRun()).toMatchObject({
      state: 'failed',
      reason: 'Refused',
      message: 'refused: InvalidParameterValueException',
    });
  });

  test('because concurrency cannot be provisioned has the reason of Lambda', async () => {
    fakeAws.outcome.provisioned = 'FAILED';
    expect(await prepareAndRun({ minScale: 3 })).toMatchObject({
      state: 'failed',
      reason: 'CannotScale',
      message: '3 cannot be kept running: there is no room',
    });
  });

  test('because an error lasts is given up after ten attempts', async () => {
    fakeAws.firstReplies['CreateFunction'] = Array.from({ length: 20 }, () => THROTTLED);
    expect(await prepareAndRun()).toMatchObject({
      state: 'failed',
      reason: 'GivenUp',
      message: 'it failed 10 times, at last so: refused: TooManyRequestsException',
    });
    expect(fakeAws.firstReplies['CreateFunction']).toHaveLength(9);
  });

  test('because its state machine gave up has the error of the state machine', async () => {
    await containersOf().prepare(revision());
    fakeAws.firstReplies['GetFunction'] = [{ ...errorReply('AccessDeniedException'), status: 403 }];
    await expect(runAll()).rejects.toThrow('AccessDeniedException');
    expect(await statusOf()).toMatchObject({ state: 'preparing' });
    const { id, turn } = firstStarted();
    expect(await reconcile(reconcileOptions(), { id, turn, problem: 'AccessDeniedException: no' }, LONG_MS)).toEqual({
      id,
      turn,
    });
    expect(await statusOf()).toMatchObject({
      state: 'failed',
      reason: 'GivenUp',
      message: 'AccessDeniedException: no',
    });
  });
});

describe('removing a revision', () => {
  test('deletes its function and the tag of its image', async () => {
    await prepareAndRun();
    await containersOf().remove(ID);
    expect(await statusOf()).toBeUndefined();
    await runAll();
    expect(fakeAws.functions.size).toBe(0);
    expect(new Set(fakeAws.tagsRemoved)).toEqual(new Set([NAME]));
    expect(await table.get([{ table: 'catalog', pk: `container#${ID}`, sk: '.' }])).toEqual([undefined]);
  });

  test('is possible for an unknown id and more than once', async () => {
    await containersOf().remove(ID);
    expect(fakeAws.started).toEqual([]);
    await prepareAndRun();
    await containersOf().remove(ID);
    await containersOf().remove(ID);
    expect(fakeAws.started).toHaveLength(2);
    await runAll();
    await runAll();
    expect(fakeAws.functions.size).toBe(0);
  });

  test.each(['Pulling', 'Pushing', 'Creating'])('at %s leaves no function and no tag', async (reason) => {
    await containersOf().prepare(revision());
    const started = firstStarted();
    const write = table.write.bind(table);
    table.write = async (writes) => {
      await write(writes);
      const [first] = writes;
      if (first?.do !== 'update' || first.set?.['reason'] !== reason) return;
      table.write = write;
      // The whole removal happens before the next request of the execution.
      await containersOf().remove(ID);
      const { id, turn } = fakeAws.started.at(-1) ?? started;
      await reconcile(reconcileOptions(), { id, turn }, LONG_MS);
    };
    let round: ReconcileResult = { ...started, seconds: 0 };
    while (round.seconds !== undefined) round = await reconcile(reconcileOptions(), round, LONG_MS);
    expect(fakeAws.functions.size).toBe(0);
    expect(fakeAws.tagsRemoved.length).toBeGreaterThan(1);
    expect(await statusOf()).toBeUndefined();
  });

  test('and preparing it again creates it again', async () => {
    await prepareAndRun();
    await containersOf().remove(ID);
    await runAll();
    advanceTime(1);
    expect(await prepareAndRun()).toEqual(READY);
  });
});

describe('deleting the installation', () => {
  test('deletes the functions of all containers, and no others', async () => {
    for (const name of ['weft--container-a', 'other', 'weft--container-b', 'weft-steps', 'weft--container-c']) {
      const empty = { input: {}, image: '', state: 'Active', lastUpdate: 'Successful', polls: 0, versions: [] };
      fakeAws.functions.set(name, { name, ...empty });
    }
    const client = new LambdaClient({ ...aws.config, maxAttempts: 1 });
    expect(await removeFunctions('weft--container-', client)).toBe(3);
    expect([...fakeAws.functions.keys()]).toEqual(['other', 'weft-steps']);
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

  test('calls the published version', async () => {
    await prepareAndRun();
    await containersOf().call(ID, callOf({ a: 1 }, { deadline: time + 60_000 }));
    expect(aws.requests.at(-1)?.path).toBe(`/2021-11-15/functions/${VERSION}/response-streaming-invocations`);
  });

  test('whose function was deleted in the account fails, and can be prepared again', async () => {
    await prepareAndRun();
    fakeAws.functions.clear();
    const call = () => containersOf().call(ID, callOf({}, { deadline: time + 60_000 }));
    expect((await call()).failure).toEqual({
      code: '',
      message: expect.stringContaining('function of this service was deleted'),
    });
    expect(await statusOf()).toBeUndefined();
    advanceTime(1);
    expect(await prepareAndRun()).toEqual(READY);
    expect((await call()).failure).toBeUndefined();
  });

  test('that failed or is unknown fails with the reason', async () => {
    await prepareAndRun({ image: `${registry.host}/demo/none:1` });
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
