import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  ENTRYPOINT,
  engineForTests,
  makeTestImage,
  testImageFiles,
} from '../../adapters/local/containers/fixtures/image.ts';
import { startPrivateRegistry } from '../../adapters/local/containers/fixtures/private-registry.ts';
import type { RegistryServer } from '../../containers/fixtures/registry-server.ts';
import { type Json, rowsOf } from '../access/client.ts';
import { type ContainerSpace, commandOf, type Home, openContainerSpace } from './container-space.ts';
import { needShape } from './service-space.ts';

const engine = await engineForTests();
const missing = typeof engine === 'string' ? engine : undefined;

let space: ContainerSpace;
let home: Home;
let image = '';

beforeEach(({ skip }) => skip(missing !== undefined, missing));

beforeAll(async () => {
  if (typeof engine === 'string') return;
  image = await makeTestImage(engine);
  space = await openContainerSpace({ idleMs: 3_000 });
});

afterAll(() => space?.close());

describe('a service of a namespace', () => {
  let registry: RegistryServer;
  const service = () => `${home.services}/function/fast`;
  const nameOf = (generation: number) => `namespace-${home.name}-fast-0000${generation}`;
  const sharesOf = async () =>
    rowsOf((await space.good('GET', service()))['revisions']).map(({ generation, traffic }) => [generation, traffic]);

  beforeAll(async () => {
    if (typeof engine === 'string') return;
    home = await space.home();
    registry = await startPrivateRegistry({ layers: [testImageFiles()], config: { Entrypoint: ENTRYPOINT } });
  });

  afterAll(async () => {
    if (typeof engine === 'string') return;
    await engine.run(['rmi', '-f', `${registry.host}/private/image:1`]);
    await registry.close();
  });

  test('runs an image of a registry that requires credentials', async () => {
    const fetched = `${registry.host}/private/image:1`;
    const credentials = { reg: `http://${registry.host}`, data: 'ada:right' };
    await space.good('POST', `/api/functions/registries/namespaces/${home.name}`, credentials);
    const row = await home.create({ name: 'fast', image: fetched, size: 'small' });
    expect(row).toMatchObject({
      status: 'True',
      serviceName: `namespace-${home.name}-fast`,
      info: { name: 'fast', image: fetched, size: 0, minScale: 0, namespaceName: home.name },
    });
    expect(rowsOf(row['conditions']).map(({ name, status }) => `${name} ${status}`)).toEqual([
      'ConfigurationsReady True',
      'Ready True',
      'RoutesReady True',
    ]);
    expect(registry.logins).toContain('ada:right');
    expect(await home.pods('fast')).toEqual([]);
    await home.storeCaller('fast');
    expect(await home.call({ do: 'echo', n: 1 })).toMatchObject({ input: { do: 'echo', n: 1 }, args: [] });
    expect(await home.pods('fast')).toMatchObject([
      { status: 'Running', serviceName: `namespace-${home.name}-fast`, serviceRevision: nameOf(1) },
    ]);
    expect(await space.good('GET', service())).toMatchObject({
      name: 'fast',
      namespace: home.name,
      scope: 'namespace',
      revisions: [{ name: nameOf(1), image: fetched, status: 'True', traffic: 100, generation: 1 }],
    });
  });

  test('divides a thousand calls between two revisions in the proportion of the traffic', async () => {
    const second = { image, cmd: commandOf('serve', '0', 'second'), size: 0, minScale: 0, trafficPercent: 50 };
    await space.good('POST', service(), second);
    expect(await sharesOf()).toEqual([
      [2, 50],
      [1, 50],
    ]);
    const values = [
      { revision: nameOf(1), percent: 70 },
      { revision: nameOf(2), percent: 30 },
    ];
    await space.good('PATCH', service(), { values });
    expect(await sharesOf()).toEqual([
      [2, 30],
      [1, 70],
    ]);
    await home.store(
      `functions: [{id: f, type: knative-namespace, service: fast}]
states:
- id: each
  type: foreach
  array: 'jq([range(1000) | {do: "echo", n: .}])'
  action: {function: f, input: jq(.)}
  transform: 'jq({answers: [.return[] | [.input.n, (.args | length)]]})'
`,
      'thousand',
    );
    const started = performance.now();
    const answers = (await home.wait({}, 'thousand')).json()['answers'] as unknown as [number, number][];
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const first = answers.filter(([, words]) => words === 0).length;
    console.log(`1000 calls in ${seconds} s: ${first} of them to the revision with 70 %`);
    expect(answers.map(([n]) => n)).toEqual(Array.from({ length: 1000 }, (_, n) => n));
    expect(first).toBeGreaterThanOrEqual(650);
    expect(first).toBeLessThanOrEqual(750);
  });

  test('keeps a revision while it has traffic, and removes it afterwards', async () => {
    const first = `${service()}/revisions/00001`;
    expect(await space.refusal('DELETE', first)).toBe(`500 revision ${nameOf(1)} still has traffic assigned: 70%`);
    await space.good('PATCH', service(), { values: [{ revision: nameOf(2), percent: 100 }] });
    await space.good('DELETE', first);
    expect(await sharesOf()).toEqual([[2, 100]]);
    expect(await home.call({ do: 'echo' })).toMatchObject({ args: ['serve', '0', 'second'] });
    expect(await space.refusal('DELETE', first)).toBe("404 not found: the service 'fast' has no revision '00001'");
  });
});

describe('a container', () => {
  let instance = '';
  const wordsOf = async (path: string) => {
    const rows = rowsOf((await space.good('GET', `${home.path}/${path}`))['results']);
    return rows.map(({ msg }) => String(msg));
  };
  const textOf = async (path: string) => (await space.client.call('GET', `${home.path}/${path}`)).text;
  const run = async (input: object, workflow = 'wf') => {
    const answer = await home.wait(input, workflow);
    instance = answer.headers.get('service-instance-id') ?? '';
    return answer;
  };

  beforeAll(async () => {
    if (missing !== undefined) return;
    home = await space.home();
    await home.create({ name: 'talker', image });
    await home.storeCaller('talker');
  });

  test('writes to the log of the instance that calls it, and stores variables of all scopes', async () => {
    const put = (scope: string) => ({
      path: `/var?aid=ID&scope=${scope}&key=kept`,
      method: 'POST',
      body: `of the ${scope}`,
      headers: { 'Content-Type': 'text/x-kept' },
    });
    const log = { path: '/log?aid=ID', method: 'POST', body: 'words of the container' };
    const read = { path: '/var?aid=ID&scope=workflow&key=kept' };
    const steps = [log, put('instance'), put('workflow'), put('namespace'), read];
    const replies = (await run({ do: 'helper', steps })).json()['return'] as unknown as Json[];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(replies.at(-1)?.['text']).toBe('of the workflow');
    expect(await wordsOf(`instances/${instance}/logs`)).toEqual(
      expect.arrayContaining(['words of the container', "Created instance variable 'kept'."]),
    );
    expect(await textOf(`instances/${instance}/vars/kept`)).toBe('of the instance');
    expect(await textOf('tree/wf?op=var&var=kept')).toBe('of the workflow');
    const kept = await space.client.call('GET', `${home.path}/vars/kept`);
    expect(kept.text).toBe('of the namespace');
    expect(kept.headers.get('content-type')).toBe('text/x-kept');
  });

  test('gets variables as files, and its output files become variables', async () => {
    await space.client.call('PUT', `${home.path}/vars/letter`, { body: 'dear container' });
    const files = 'files: [{key: letter, scope: namespace, as: in/letter.txt}, {key: absent, scope: workflow}]';
    await home.store(
      `functions: [{id: f, type: knative-namespace, service: talker}]
states: [{id: a, type: action, action: {function: f, input: jq(.), ${files}}}]
`,
      'files',
    );
    const found = new Map((await run({ do: 'files' }, 'files')).json()['return'] as unknown as [string, string][]);
    expect(found.get('in/letter.txt')).toBe('dear container');
    expect(found.get('absent')).toBe('');
    const left = { 'instance/note': 'mine', 'workflow/pages/one.txt': 'page one', 'namespace/all': 'everybody' };
    expect((await run({ do: 'leave', files: left })).json()['return']).toBe('left');
    expect(await textOf(`instances/${instance}/vars/note`)).toBe('mine');
    expect(await textOf('vars/all')).toBe('everybody');
    const pages = await space.client.call('GET', `${home.path}/tree/wf?op=var&var=pages`);
    expect(gunzipSync(pages.bytes).toString()).toContain('page one');
  });

  test('can be the one of the documentation', async () => {
    const text = readFileSync(new URL('../../../docs/containers.md', import.meta.url), 'utf8');
    const [, program = ''] = /^```js\n(.*?)^```$/ms.exec(text) ?? [];
    const cmd = `/node --input-type=module -e "await import('data:text/javascript,' + encodeURIComponent(process.env.CODE))"`;
    await home.create({ name: 'shown', image, cmd, envs: { CODE: program } });
    await home.store(
      'functions: [{id: f, type: knative-namespace, service: shown}]\n' +
        'states: [{id: a, type: action, action: {function: f, input: jq(.)}}]\n',
      'shown',
    );
    expect((await run({ name: 'Ada' }, 'shown')).json()['return']).toEqual({ greeting: 'Hello Ada' });
    expect(await wordsOf(`instances/${instance}/logs`)).toContain('greeting Ada');
    expect((await run({}, 'shown')).text).toContain('greeter.noName: send a name');
  });

  const FAILURES = [
    ['an error of its own', { do: 'error', brand: 'Service', code: 'shop.empty', message: 'none' }, 'shop.empty: none'],
    ['a status of failure', { do: 'status', status: 503, text: 'closed' }, 'container failed: closed'],
  ] as const;

  test.each(FAILURES)('that returns %s fails the instance with that error', async (_what, input, words) => {
    const answer = await run(input);
    expect(answer.status).toBe(500);
    expect(answer.text).toBe(`An error occurred executing instance ${instance}: ${words}\n`);
    const shown = (await space.good('GET', `${home.path}/instances/${instance}`))['instance'] as Json;
    expect(shown).toMatchObject({ status: 'failed' });
    expect(`${shown['errorCode']}: ${shown['errorMessage']}`).toBe(words);
  });

  const CRASHES = [
    ['breaks off in its answer', { do: 'half' }, 'the connection ended before the answer was complete'],
    [
      'ends in a call',
      { do: 'exit', code: 7, words: 'oh no' },
      'the container ended with exit code 7 before it answered: oh no',
    ],
    ['answers too much', { do: 'large', bytes: 10, declared: 2 ** 28 }, 'the answer is longer than 128 MiB'],
  ] as const;

  test.each(CRASHES)('that %s crashes the instance with a clear message', async (_what, input, words) => {
    expect((await run(input)).text).toBe(`An internal error occurred executing instance: ${instance}\n`);
    const shown = (await space.good('GET', `${home.path}/instances/${instance}`))['instance'] as Json;
    expect(shown).toMatchObject({ status: 'crashed', errorCode: 'service.internal.error' });
    expect(await wordsOf(`instances/${instance}/logs`)).toContain(`Action crashed due to an internal error: ${words}`);
  });
});

describe('the streams of a service', () => {
  test('send the changes of services, revisions and pods', async () => {
    home = await space.home();
    const follow = async (path: string) => {
      const stream = await space.follow(`${home.services}${path}`);
      onTestFinished(() => stream.leave());
      return stream;
    };
    const services = await follow('');
    await home.create({ name: 'seen', image });
    const added = await services.json();
    needShape('serviceFrame', added);
    expect(added).toMatchObject({ event: 'ADDED', function: { info: { name: 'seen' } } });
    const revisions = await follow('/function/seen/revisions');
    expect(await revisions.json()).toMatchObject({ event: 'ADDED', revision: { rev: '00001' } });
    const pods = await follow('/function/seen/revisions/00001/pods');
    await home.storeCaller('seen');
    await home.call({ do: 'echo' });
    const isOf = (event: string, status: string) => (frame: Json) =>
      String(frame['event']) === event && String(frame['pod']?.['status']) === status;
    const running = await pods.until((frame) => String(frame['pod']?.['status']) === 'Running');
    needShape('podFrame', running);
    const busy = await revisions.until((frame) => String(frame['revision']?.['actualReplicas']) === '1');
    expect(busy).toMatchObject({ event: 'MODIFIED' });
    // It is idle from here on.
    await pods.until(isOf('DELETED', 'Running'));
    await revisions.until((frame) => String(frame['revision']?.['actualReplicas']) === '0');
    await space.good('POST', `${home.services}/function/seen`, {
      image,
      cmd: '',
      size: 1,
      minScale: 0,
      trafficPercent: 10,
    });
    const changed = await services.until(
      (frame) => String(frame['event']) === 'MODIFIED' && rowsOf(frame['traffic']).length === 2,
    );
    expect(rowsOf(changed['traffic']).map(({ traffic }) => traffic)).toEqual(['10', '90']);
    expect(await revisions.until((frame) => String(frame['event']) === 'ADDED')).toMatchObject({
      revision: { rev: '00002', size: 1 },
    });
    await space.good('DELETE', `${home.services}/function/seen`);
    expect(await services.until((frame) => String(frame['event']) === 'DELETED')).toMatchObject({
      function: { info: { name: 'seen' } },
    });
    await revisions.until((frame) => String(frame['event']) === 'DELETED');
  });
});
