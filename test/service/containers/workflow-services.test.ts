import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { ContainerServiceError, openService, type ServicePlan } from '../../../lib/domain/services/resolution.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { type Json, rowsOf } from '../access/client.ts';
import { needShape, openServiceSpace, type ServiceSpace } from './service-space.ts';

let space: ServiceSpace;
let namespace: string;

const PLAN: ServicePlan = {
  type: 'knative-workflow',
  image: 'example/step',
  size: 'medium',
  cmd: 'run it',
  scale: 1,
  envs: { A: 'b' },
};

beforeAll(async () => {
  space = await openServiceSpace();
});

afterAll(() => space.close());

beforeEach(async () => {
  namespace = await space.namespace();
});

const yaml = (image: string): string =>
  [
    `functions: [{id: step, type: knative-workflow, image: ${image}, size: medium, cmd: run it, scale: 1,`,
    '  envs: [{name: A, value: b}]}]',
    'states: [{id: a, type: noop}]',
  ].join('\n');

async function store(path: string, image = 'example/step'): Promise<void> {
  const [directory = '', name] = path.split('/');
  const tree = `/api/namespaces/${namespace}/tree`;
  if (name !== undefined) await space.client.call('PUT', `${tree}/${directory}?op=create-directory`);
  const { status, text } = await space.client.call('PUT', `${tree}/${path}?op=create-workflow`, { body: yaml(image) });
  expect(status, text).toBe(200);
}

async function open(path: string, plan: ServicePlan = PLAN, seed = 'call-1') {
  const { ports } = space.service;
  const { namespace: home, node, revision } = await workflows.open(ports, namespace, path);
  const workflow = { id: node.id, path: node.path, revision: revision.id };
  return (await openService(ports, { namespace: home, workflow, name: 'step', plan })).revisionFor(seed);
}

const at = (path: string, op: string, query: Record<string, string> = {}): string =>
  `/api/functions/namespaces/${namespace}/tree/${path}?${new URLSearchParams({ op, ...query })}`;
const listed = async (path: string) => rowsOf((await space.good('GET', at(path, 'services')))['functions']);
const versionOf = (row: Json | undefined) => String(row?.['info']?.['revision']);

describe('a service that a workflow defines', () => {
  test('exists from its first call on, and is the same for all calls', async () => {
    await store('dir/wf.yaml');
    expect(await listed('dir/wf.yaml')).toEqual([]);
    const opened = await Promise.all([1, 2, 3].map((seed) => open('dir/wf.yaml', PLAN, `call-${seed}`)));
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
    const [row, ...rest] = await listed('dir/wf.yaml');
    expect(rest).toEqual([]);
    expect(row?.['info']).toMatchObject({
      name: 'step',
      image: 'example/step',
      cmd: 'run, it',
      size: 1,
      minScale: 1,
      path: 'dir_wf.yaml',
      namespaceName: namespace,
      envs: { A: 'b' },
      revision: expect.stringMatching(/^\d+$/),
    });
    expect(row?.['serviceName']).toBe(`workflow-${versionOf(row)}-step`);
    expect(opened[0]?.name).toBe(`workflow-${versionOf(row)}-step-00001`);
  });

  test('differs for another image', async () => {
    await store('wf');
    await open('wf');
    await open('wf', { ...PLAN, image: 'example/other' });
    expect(new Set((await listed('wf')).map(versionOf)).size).toBe(2);
  });

  test('is found by name and version, or is the newest of its name', async () => {
    await store('wf');
    await open('wf');
    const version = versionOf((await listed('wf'))[0]);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await open('wf', { ...PLAN, image: 'example/newer' });
    const imageOf = async (query: Record<string, string>) =>
      rowsOf((await space.good('GET', at('wf', 'function-revisions', query)))['revisions'])[0]?.['image'];
    expect(await imageOf({ svn: 'step', version })).toBe('example/step');
    expect(await imageOf({ svn: 'step' })).toBe('example/newer');
  });

  test('has its revision and its pods', async () => {
    await store('wf');
    const { name } = await open('wf');
    const query = { svn: 'step', version: versionOf((await listed('wf'))[0]) };
    const shown = await space.good('GET', at('wf', 'function-revision', { ...query, rev: '00001' }));
    expect(shown).toMatchObject({ event: 'ADDED', revision: { name, rev: '00001', actualReplicas: '1' } });
    const { pods } = await space.good('GET', at('wf', 'pods', query));
    expect(rowsOf(pods)[0]).toMatchObject({ status: 'Running', serviceRevision: name });
    expect(await space.good('GET', at('wf', 'pods', { svn: 'who' }))).toEqual({ pods: [] });
  });

  test.each([
    ['services', 'serviceFrame', {}],
    ['function', 'serviceFrame', { svn: 'step' }],
    ['function-revisions', 'revisionFrame', { svn: 'step' }],
    ['function-revision', 'revisionFrame', { svn: 'step', rev: '00001' }],
    ['pods', 'podFrame', { svn: 'step' }],
  ] as const)('can be streamed with op=%s', async (op, shape, query) => {
    await store('wf');
    await open('wf');
    await listed('wf');
    const stream = await space.follow(at('wf', op, query));
    onTestFinished(() => stream.leave());
    const frame = await stream.json();
    needShape(shape, frame);
    expect(frame).toMatchObject({ event: 'ADDED' });
  });

  test('is created again by the next call after it was deleted', async () => {
    await store('wf');
    const { id } = await open('wf');
    const version = versionOf((await listed('wf'))[0]);
    await space.good('DELETE', at('wf', 'delete-service', { svn: 'step', version }));
    expect(await listed('wf')).toEqual([]);
    expect(space.containers.prepared.has(id)).toBe(false);
    await open('wf');
    expect((await listed('wf')).map(versionOf)).toEqual([version]);
  });

  test.each([
    ['GET', 'function-revisions', {}, '500 svn is missing in queries'],
    ['GET', 'function-revisions', { svn: 'who' }, '404 not found'],
    ['GET', 'function-revision', { svn: 'step', rev: '00007' }, '404 not found'],
    ['GET', 'function-revisions', { svn: 'step', version: 'x' }, '500 strconv.ParseUint: parsing "x"'],
    ['DELETE', 'delete-service', { svn: 'step' }, '500 version is missing in queries'],
    ['DELETE', 'delete-service', { version: '1' }, '500 svn is missing in queries'],
  ])('%s op=%s with %j is rejected: %s', async (method, op, query, message) => {
    await store('wf');
    await open('wf');
    expect(await space.refusal(method, at('wf', op, query as Record<string, string>))).toContain(message);
  });

  test('is found only under its workflow', async () => {
    await store('dir/wf');
    expect(await space.refusal('GET', at('dir', 'services'))).toContain('500 not a workflow');
    expect(await space.refusal('GET', at('nowhere', 'services'))).toContain('404 inode not found');
  });

  test.each([
    ['its workflow', () => `/api/namespaces/${namespace}/tree/dir/wf?op=delete-node`],
    ['a directory above', () => `/api/namespaces/${namespace}/tree/dir?op=delete-node&recursive=true`],
    ['its namespace', () => `/api/namespaces/${namespace}?recursive=true`],
  ])('is deleted with %s', async (_what, path) => {
    await store('dir/wf');
    const { id } = await open('dir/wf');
    await space.good('DELETE', path());
    expect(space.containers.prepared.has(id)).toBe(false);
    expect(space.containers.removed).toContain(id);
  });

  test('is not created for a deleted workflow', async () => {
    await store('wf');
    const { ports } = space.service;
    const { namespace: home, node, revision } = await workflows.open(ports, namespace, 'wf');
    await space.good('DELETE', `/api/namespaces/${namespace}/tree/wf?op=delete-node`);
    const workflow = { id: node.id, path: node.path, revision: revision.id };
    const opening = openService(ports, { namespace: home, workflow, name: 'step', plan: PLAN });
    await expect(opening).rejects.toThrow(ContainerServiceError);
  });
});

describe('a call', () => {
  const wanted = async (plan: ServicePlan) => ({
    namespace: await namespaces.need(space.service.ports, namespace),
    workflow: { id: 'none', path: '/none', revision: 'none' },
    name: 'step',
    plan,
  });

  test('of a missing service fails with a clear message', async () => {
    const { ports } = space.service;
    const missing = openService(ports, await wanted({ type: 'knative-namespace', service: 'who' }));
    await expect(missing).rejects.toMatchObject({ reason: 'missing', message: expect.stringContaining("'who'") });
    const global = openService(ports, await wanted({ type: 'knative-global', service: 'who' }));
    await expect(global).rejects.toMatchObject({ reason: 'missing' });
  });

  test('of an invalid function fails with a clear message', async () => {
    await store('wf');
    await expect(open('wf', { ...PLAN, cmd: 'echo "' })).rejects.toMatchObject({ reason: 'invalid' });
  });

  test('fails with a clear message where containers cannot run', async () => {
    await store('wf');
    space.containers.script.problem = 'no engine here';
    onTestFinished(() => {
      space.containers.script.problem = undefined;
    });
    await expect(open('wf')).rejects.toMatchObject({ reason: 'unable', message: 'no engine here' });
  });

  test('is divided by the traffic; equal seeds select the same revision', async () => {
    const path = `/api/functions/namespaces/${namespace}`;
    await space.good('POST', path, { name: 'fast', image: 'example/1' });
    await space.good('POST', `${path}/function/fast`, { image: 'example/2', trafficPercent: 25 });
    const plan = { type: 'knative-namespace', service: 'fast' } as const;
    const opened = await openService(space.service.ports, await wanted(plan));
    const taken = async (seed: string) => (await opened.revisionFor(seed)).name;
    const names = await Promise.all(Array.from({ length: 200 }, (_, index) => taken(`call-${index}`)));
    const newer = names.filter((name) => name.endsWith('-00002')).length;
    expect(newer).toBeGreaterThan(20);
    expect(newer).toBeLessThan(80);
    expect(await taken('call-7')).toBe(names[7]);
  });

  test('of a failed revision prepares it again', async () => {
    await store('wf');
    const plan = { ...PLAN, image: 'bad/image' };
    const { id } = await open('wf', plan);
    const before = space.containers.preparations.filter((one) => one === id).length;
    await open('wf', plan);
    expect(space.containers.preparations.filter((one) => one === id)).toHaveLength(before + 1);
  });
});
