import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { installationOf } from '../../lib/adapters/local/containers/containers.ts';
import type { Engine } from '../../lib/adapters/local/containers/engine.ts';
import { until } from '../adapters/containers/caller.ts';
import { engineForTests, makeTestImage } from '../adapters/containers/image.ts';
import { startRegistry, type TestRegistry } from '../adapters/containers/registry.ts';
import { type Json, rowsOf } from './client.ts';
import { type ContainerSpace, commandOf, type Home, homeOf, idOf, openContainerSpace } from './container-space.ts';
import { openSpace } from './service-space.ts';

const found = await engineForTests();
const missing = typeof found === 'string' ? found : undefined;
const engine = found as Engine;

let space: ContainerSpace;
let home: Home;
let image = '';

beforeEach(({ skip }) => skip(missing !== undefined, missing));

beforeAll(async () => {
  if (missing !== undefined) return;
  image = await makeTestImage(engine);
  space = await openContainerSpace({ listenMs: 2_000, idleMs: 2_000 });
  home = await space.home();
});

afterAll(() => space?.close());

/** What the instances of a namespace ended with, the newest first. */
async function endOf(id: string): Promise<Json> {
  const told = await until(
    () => space.good('GET', `${home.path}/instances/${id}`),
    ({ instance }) => String(instance?.['status']) !== 'pending',
  );
  return told['instance'] as Json;
}

async function begin(input: object): Promise<string> {
  return String((await space.good('POST', `${home.path}/tree/wf?op=execute`, input))['instance']);
}

async function timed(input: object): Promise<number> {
  const started = performance.now();
  await home.call(input);
  return Math.round(performance.now() - started);
}

const nameOf = (pods: readonly Json[]) => String(pods[0]?.['name']);

describe('the container of a service', () => {
  test('ends when nobody calls it for a while, and comes with the next call', async () => {
    await home.create({ name: 'idle', image });
    await home.storeCaller('idle');
    const [first, warm] = [await timed({ do: 'echo' }), await timed({ do: 'echo' })];
    expect(await home.pods('idle')).toHaveLength(1);
    await until(
      () => home.pods('idle'),
      (pods) => pods.length === 0,
    );
    expect(await home.row('idle')).toMatchObject({ status: 'True' });
    const cold = await timed({ do: 'echo' });
    console.log(`first call ${first} ms, cold ${cold} ms, warm ${warm} ms`);
  });

  test('may be killed while nobody calls it', async () => {
    await home.create({ name: 'killed', image, minScale: 1 });
    const running = () =>
      until(
        () => home.pods('killed'),
        (pods) => pods.some(({ status }) => String(status) === 'Running'),
      );
    const former = nameOf(await running());
    const { code } = await engine.run(['kill', await idOf(engine, former)]);
    expect(code).toBe(0);
    await home.store(
      'functions: [{id: f, type: knative-namespace, service: killed}]\n' +
        'states: [{id: a, type: action, action: {function: f, input: jq(.)}}]\n',
      'killed',
    );
    await until(
      () => home.pods('killed'),
      (pods) => nameOf(pods) !== former || String(pods[0]?.['status']) !== 'Running',
    );
    expect((await home.wait({ do: 'echo' }, 'killed')).status).toBe(200);
    expect(nameOf(await running())).not.toBe(former);
  });

  test.each(['', '-sidecar'])('that is killed in the middle of a call fails that call alone (%s)', async (beside) => {
    await home.call({ do: 'echo' });
    const id = await begin({ do: 'sleep', ms: 60_000 });
    const pod = nameOf(await home.pods('idle'));
    const log = await space.follow(`/api/functions/logs/pod/${pod}`);
    await log.until(({ data }) => String(data).includes('sleeping'));
    log.leave();
    await engine.run(['kill', await idOf(engine, `${pod}${beside}`)]);
    expect(await endOf(id)).toMatchObject({
      status: 'crashed',
      errorCode: 'service.internal',
      errorMessage: expect.stringMatching(/^x/),
    });
    expect(await home.call({ do: 'echo' })).toMatchObject({ input: { do: 'echo' } });
  });
});

describe('a service whose image is bad', () => {
  let registry: TestRegistry;

  beforeAll(async () => {
    if (missing === undefined) registry = await startRegistry('ada:right', randomUUID());
  });

  afterAll(() => registry?.close());

  const reasonOf = (row: Json) => {
    const ready = rowsOf(row['conditions']).find(({ name }) => String(name) === 'Ready');
    return `${row['status']} ${ready?.['reason']}: ${ready?.['message']}`;
  };

  test('says which image is missing, where, and what to do', async () => {
    home = await space.home();
    const [host, from] = [registry.host, `${registry.host}/private/image:1`];
    expect(reasonOf(await home.create({ name: 'closed', image: from }))).toBe(
      `False Unauthorized: the registry ${host} does not hand out the image '${from}' without credentials: store them as a registry with that host, or check the image's name`,
    );
    const store = (data: string) =>
      space.good('POST', `/api/functions/registries/namespaces/${home.name}`, { reg: `http://${host}`, data });
    await store('ada:wrong');
    expect(reasonOf(await home.create({ name: 'wrong', image: from }))).toBe(
      `False Unauthorized: the registry ${host} refuses the credentials of 'ada' for the image '${from}': store the right ones`,
    );
    await store('ada:right');
    expect(reasonOf(await home.create({ name: 'missing', image: `${host}/private/image:2` }))).toBe(
      `False ImageNotFound: the registry ${host} has no image '${host}/private/image:2': check its name and tag`,
    );
    expect(reasonOf(await home.create({ name: 'nonsense', image: `${host}/Private//image` }))).toBe(
      `False InvalidImageName: '${host}/Private//image' is no name of an image`,
    );
    await home.storeCaller('missing');
    const id = await begin({});
    expect(await endOf(id)).toMatchObject({ status: 'crashed', errorCode: 'service.internal', errorMessage: 'x' });
  });

  test.each([
    ['never listens', 'deaf', 'the container did not listen on port 8080 within 2 seconds'],
    ['ends at once', 'fail', 'the container ended with exit code 3 before it listened on port 8080: cannot go on'],
  ])('fails the instance with the reason when its container %s', async (_what, mode, words) => {
    home = await space.home();
    await home.create({ name: 'bad', image, cmd: commandOf(mode) });
    await home.storeCaller('bad');
    expect(await endOf(await begin({}))).toMatchObject({
      status: 'crashed',
      errorCode: 'service.internal',
      errorMessage: words,
    });
    expect(await home.pods('bad')).toMatchObject([{ status: 'Failed' }]);
  });
});

describe('a service that is stopped and started again', () => {
  test('has its containers as before, and leaves none behind', async () => {
    const data = mkdtempSync(join(tmpdir(), 'weft-data-'));
    const label = () => `label=weft.installation=${installationOf(join(data, 'containers'))}`;
    const namesLeft = async () => (await engine.run(['ps', '-a', '-q', '--filter', label()])).stdout.trim();
    try {
      const first = await openSpace({}, data);
      const before = homeOf(first, await first.namespace());
      await before.create({ name: 'kept', image, minScale: 1 });
      await before.storeCaller('kept');
      expect(await before.call({ do: 'echo' })).toMatchObject({ input: { do: 'echo' } });
      expect((await namesLeft()).split('\n')).toHaveLength(2);
      const slow = String(
        (await first.good('POST', `${before.path}/tree/wf?op=execute`, { do: 'sleep', ms: 2_000 }))['instance'],
      );
      await first.close();
      expect(await namesLeft()).toBe('');
      const second = await openSpace({}, data);
      const after = homeOf(second, before.name);
      expect(await after.row('kept')).toMatchObject({ status: 'True' });
      const ended = await until(
        () => second.good('GET', `${after.path}/instances/${slow}`),
        ({ instance }) => String(instance?.['status']) !== 'pending',
      );
      expect(ended['instance']).toMatchObject({ status: 'complete' });
      expect(await after.call({ do: 'echo' })).toMatchObject({ input: { do: 'echo' } });
      await second.close();
      expect(await namesLeft()).toBe('');
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });
});
