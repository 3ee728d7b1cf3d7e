import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { installationOf } from '../../../lib/adapters/local/containers/containers.ts';
import type { Engine } from '../../../lib/adapters/local/containers/engine/engine.ts';
import { until } from '../../adapters/local/containers/fixtures/caller.ts';
import { engineForTests, makeTestImage } from '../../adapters/local/containers/fixtures/image.ts';
import { startPrivateRegistry } from '../../adapters/local/containers/fixtures/private-registry.ts';
import type { RegistryServer } from '../../containers/fixtures/registry-server.ts';
import { type Json, rowsOf } from '../access/client.ts';
import { startProcess } from '../access/process.ts';
import { type ContainerSpace, commandOf, type Home, homeOf, idOf, openContainerSpace } from './container-space.ts';
import { type Asking, askingOf, openSpace } from './service-space.ts';

const found = await engineForTests();
const missing = typeof found === 'string' ? found : undefined;
const engine = found as Engine;

let space: ContainerSpace;
/** Its functions must listen soon; on a busy machine a good one takes longer. */
let impatient: ContainerSpace;
let home: Home;
let image = '';

beforeEach(({ skip }) => skip(missing !== undefined, missing));

beforeAll(async () => {
  if (missing !== undefined) return;
  image = await makeTestImage(engine);
  space = await openContainerSpace({ idleMs: 2_000 });
  impatient = await openContainerSpace({ listenMs: 2_000 });
  home = await space.home();
});

afterAll(async () => {
  await space?.close();
  await impatient?.close();
});

/** The log line with the reason why an instance crashed. */
async function crashOf(id: string, { good } = space): Promise<string | undefined> {
  const reply = await until(
    () => good('GET', `${home.path}/instances/${id}`),
    ({ instance }) => String(instance?.['status']) !== 'pending',
  );
  expect(reply['instance']).toMatchObject({ status: 'crashed', errorCode: 'service.internal.error' });
  const lines = rowsOf((await good('GET', `${home.path}/instances/${id}/logs`))['results']);
  const crash = 'Action crashed due to an internal error: ';
  const words = lines.map(({ msg }) => String(msg)).find((msg) => msg.startsWith(crash));
  return words?.slice(crash.length);
}

async function begin(input: object, { good } = space): Promise<string> {
  return String((await good('POST', `${home.path}/tree/wf?op=execute`, input))['instance']);
}

async function timed(input: object): Promise<number> {
  const started = performance.now();
  await home.call(input);
  return Math.round(performance.now() - started);
}

const nameOf = (pods: readonly Json[]) => String(pods[0]?.['name']);

describe('the container of a service', () => {
  test('ends when it has been idle for some time, and starts again for the next call', async () => {
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

  test('is started again for the next call after it was killed while idle', async () => {
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
    const { status, text } = await home.wait({ do: 'echo' }, 'killed');
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(nameOf(await running())).not.toBe(former);
  });

  test.each([
    [
      'the function',
      '',
      'the container ended with exit code 137 (killed; perhaps out of memory) before it answered: sleeping',
    ],
    ['what stands beside it', '-sidecar', 'the process beside the container ended before the answer came'],
  ])('that is killed in the middle of a call, %s, crashes only that call', async (_what, beside, words) => {
    await home.call({ do: 'echo' });
    const id = await begin({ do: 'sleep', ms: 60_000 });
    const pod = nameOf(await home.pods('idle'));
    const log = await space.follow(`/api/functions/logs/pod/${pod}`);
    await log.until(({ data }) => String(data).includes('sleeping'));
    log.leave();
    await engine.run(['kill', await idOf(engine, `${pod}${beside}`)]);
    expect(await crashOf(id)).toBe(words);
    expect(await home.call({ do: 'echo' })).toMatchObject({ input: { do: 'echo' } });
  });
});

describe('a function that a workflow defines', () => {
  test.each(['reusable', 'knative-workflow'])(
    'as %s is created on demand and deleted with its workflow',
    async (type) => {
      home = await space.home();
      await home.store(`functions: [{id: own, type: ${type}, image: ${image}, size: small, envs: [{name: GREETING, value: hi}]}]
states: [{id: a, type: action, action: {function: own, input: jq(.)}}]
`);
      const tree = `${home.services}/tree/wf`;
      const listed = async () => rowsOf((await space.good('GET', `${tree}?op=services`))['functions']);
      expect(await listed()).toEqual([]);
      expect(await home.call({ do: 'echo' })).toMatchObject({ environment: 'hi' });
      const [row] = await listed();
      expect(row).toMatchObject({ status: 'True', info: { name: 'own', image, path: 'wf', envs: { GREETING: 'hi' } } });
      const version = String(row?.['info']?.['revision']);
      const { pods } = await space.good('GET', `${tree}?op=pods&svn=own&rev=00001&version=${version}`);
      const names = rowsOf(pods).map(({ name }) => String(name));
      expect(names).toHaveLength(1);
      await space.good('DELETE', `${home.path}/tree/wf?op=delete-node`);
      await until(
        () => engine.run(['ps', '-a', '--format', '{{.Names}}']),
        ({ stdout }) => names.every((name) => !stdout.includes(name)),
      );
    },
  );
});

describe('a service with an invalid image', () => {
  let registry: RegistryServer;

  beforeAll(async () => {
    if (missing === undefined) registry = await startPrivateRegistry();
  });

  afterAll(() => registry?.close());

  const reasonOf = (row: Json) => {
    const ready = rowsOf(row['conditions']).find(({ name }) => String(name) === 'Ready');
    return `${row['status']} ${ready?.['reason']}: ${ready?.['message']}`;
  };

  test('has a message with the missing image, the place and the correction', async () => {
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
    expect(await crashOf(await begin({}))).toBe(
      `the registry ${host} has no image '${host}/private/image:2': check its name and tag`,
    );
  });

  test.each([
    ['never listens', 'silent', 'the container did not listen on port 8080 within 2 seconds'],
    ['ends at once', 'fail', 'the container ended with exit code 3 before it listened on port 8080: cannot go on'],
  ])('fails the instance with the reason when its container %s', async (_what, mode, words) => {
    home = await impatient.home();
    await home.create({ name: 'bad', image, cmd: commandOf(mode) });
    await home.storeCaller('bad');
    expect(await crashOf(await begin({}, impatient), impatient)).toBe(words);
    expect(await home.pods('bad')).toMatchObject([{ status: 'Failed' }]);
  });
});

describe('a service that stops', () => {
  const data = mkdtempSync(join(tmpdir(), 'weft-data-'));
  const idsLeft = async () => {
    const label = `label=weft.installation=${installationOf(join(data, 'containers'))}`;
    const { stdout } = await engine.run(['ps', '-a', '-q', '--filter', label]);
    return stdout.split('\n').filter((id) => id !== '');
  };
  const noneLeft = () => until(idsLeft, (ids) => ids.length === 0);
  /** Starts a long call and resolves when its container has started it. */
  const beginSlow = async ({ good, follow }: Asking, { path, pods }: Home): Promise<string> => {
    const id = String((await good('POST', `${path}/tree/wf?op=execute`, { do: 'sleep', ms: 2_000 }))['instance']);
    const log = await follow(`/api/functions/logs/pod/${nameOf(await pods('kept'))}`);
    await log.until((frame) => String(frame['data']).includes('sleeping'));
    log.leave();
    return id;
  };
  const endOf = async ({ good }: Asking, { path }: Home, id: string) => {
    const reply = await until(
      () => good('GET', `${path}/instances/${id}`),
      ({ instance }) => String(instance?.['status']) !== 'pending',
    );
    const { data: output } = await good('GET', `${path}/instances/${id}/output`);
    return { status: reply['instance']?.['status'], output: JSON.parse(atob(String(output))) };
  };

  afterAll(() => rmSync(data, { recursive: true, force: true }));

  test('removes its containers, and starts them again at its next start', async () => {
    const first = await openSpace({}, data);
    const before = homeOf(first, await first.namespace('kept'));
    await before.create({ name: 'kept', image, minScale: 1 });
    await before.storeCaller('kept');
    expect(await before.call({ do: 'echo' })).toMatchObject({ input: { do: 'echo' } });
    expect(await idsLeft()).toHaveLength(2);
    const slow = await beginSlow(first, before);
    await first.close();
    expect(await idsLeft()).toEqual([]);
    const second = await openSpace({}, data);
    const after = homeOf(second, 'kept');
    await until(
      () => after.row('kept'),
      ({ status }) => String(status) === 'True',
    );
    expect(await endOf(second, after, slow)).toMatchObject({ status: 'complete', output: { return: { calls: 1 } } });
    expect(await after.call({ do: 'echo' })).toMatchObject({ input: { do: 'echo' } });
    await second.close();
    expect(await idsLeft()).toEqual([]);
  });

  test('leaves no container either when it is killed during a call, and repeats the call', async () => {
    const first = await startProcess(data);
    const asking = askingOf(first.client);
    const home = homeOf(asking, 'kept');
    expect(await home.call({ do: 'echo' })).toMatchObject({ input: { do: 'echo' } });
    const slow = await beginSlow(asking, home);
    await first.end('SIGKILL');
    await noneLeft();
    const second = await startProcess(data);
    const again = askingOf(second.client);
    try {
      expect(await endOf(again, homeOf(again, 'kept'), slow)).toMatchObject({ status: 'complete' });
    } finally {
      await second.end('SIGTERM');
    }
    expect(await idsLeft()).toEqual([]);
  });
});
