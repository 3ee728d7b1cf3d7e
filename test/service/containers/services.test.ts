import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readSettings } from '../../../bin/server/settings.ts';
import { type Json, rowsOf } from '../access/client.ts';
import { openServiceSpace, type ServiceSpace } from './service-space.ts';

let space: ServiceSpace;
let namespace: string;
/** The paths of the services of the test's namespace, and of one of them. */
let all: string;
const one = (name: string): string => `${all}/function/${name}`;

beforeAll(async () => {
  space = await openServiceSpace();
});

afterAll(() => space.close());

beforeEach(async () => {
  space.containers.script.problem = undefined;
  namespace = await space.namespace();
  all = `/api/functions/namespaces/${namespace}`;
});

const create = (body: object, path = all) =>
  space.good('POST', path, { image: 'example/a:1', cmd: '', size: 0, minScale: 0, ...body });
const addRevision = (name: string, body: object) => space.good('POST', one(name), { image: 'example/a:2', ...body });
const listed = async (path = all) => rowsOf((await space.good('GET', path))['functions']);
const conditionsOf = (row: Json | undefined) =>
  rowsOf(row?.['conditions']).map(({ name, status, reason }) => [name, status, reason].join(' ').trim());
const preparedFor = (image: string) =>
  [...space.containers.prepared.values()].map(({ revision }) => revision).filter((row) => row.image === image);

/** A namespace and a service whose names are split at different places: the names that users see are equal. */
const TWINS = [
  ['twin-a', 'b-c'],
  ['twin-a-b', 'c'],
] as const;

describe('a service', () => {
  test('is listed with its settings after it was created', async () => {
    expect(await create({ name: 'fast', size: 1, minScale: 1, envs: { A: 'b' } })).toEqual({});
    const [row] = await listed();
    const { oid } = rowsOf((await space.good('GET', '/api/namespaces'))['results']).find(
      ({ name }) => String(name) === namespace,
    ) as Json;
    expect(row).toEqual({
      info: {
        name: 'fast',
        namespace: oid,
        workflow: '',
        image: 'example/a:1',
        cmd: '',
        size: 1,
        minScale: 1,
        namespaceName: namespace,
        path: '',
        revision: '',
        envs: { A: 'b' },
      },
      status: 'True',
      conditions: ['ConfigurationsReady', 'Ready', 'RoutesReady'].map((name) => {
        return { name, status: 'True', reason: '', message: '' };
      }),
      serviceName: `namespace-${namespace}-fast`,
    });
    expect((await space.good('GET', all))['config']).toEqual({ maxscale: 3 });
  });

  test('is shown with its first revision, which has all traffic; empty fields are left out', async () => {
    await create({ name: 'fast' });
    const { revisions, ...rest } = await space.good('GET', one('fast'));
    expect(rest).toEqual({ name: 'fast', namespace, config: { maxscale: 3 }, scope: 'namespace' });
    const [revision] = rowsOf(revisions);
    expect(revision).toMatchObject({
      name: `namespace-${namespace}-fast-00001`,
      image: 'example/a:1',
      generation: 1,
      status: 'True',
      traffic: 100,
      revision: '00001',
    });
    expect(Object.keys(revision ?? {})).not.toContain('cmd');
    expect(Object.keys(revision ?? {})).not.toContain('size');
    expect(conditionsOf(revision)).toEqual([
      'Active True',
      'ContainerHealthy True',
      'Ready True',
      'ResourcesAvailable True',
    ]);
  });

  test('for all namespaces has a global name, and belongs to no namespace', async () => {
    await create({ name: 'everywhere' }, '/api/functions');
    const [row] = await listed('/api/functions');
    expect(row).toMatchObject({ serviceName: 'global-everywhere', info: { namespace: '', namespaceName: '' } });
    expect(await space.good('GET', '/api/functions/everywhere')).toMatchObject({ scope: 'global' });
    expect(await listed()).toEqual([]);
    await space.good('DELETE', '/api/functions/everywhere');
    expect(await listed('/api/functions')).toEqual([]);
  });

  test.each([
    ['a number', 2, 1],
    ['a quoted number', '2', '1'],
    ['a word', 'large', '1'],
  ])('accepts its size as %s and returns integers', async (_how, size, minScale) => {
    await create({ name: 'sized', size, minScale });
    expect((await listed())[0]).toMatchObject({ info: { size: 2, minScale: 1 } });
  });

  test('has at most the minimum scale that the installation allows', async () => {
    await create({ name: 'many', minScale: 50 });
    expect((await listed())[0]).toMatchObject({ info: { minScale: 3 } });
  });

  test('has its command split by the rules of a shell, and shows the words', async () => {
    await create({ name: 'shell', image: 'example/shell', cmd: `sh -c "echo 'a b'" c\\ d` });
    expect((await listed())[0]).toMatchObject({ info: { cmd: "sh, -c, echo 'a b', c d" } });
    expect(preparedFor('example/shell')[0]?.command).toEqual(['sh', '-c', "echo 'a b'", 'c d']);
  });

  test('does not conflict with another whose name is similar after conversion', async () => {
    for (const [home, name] of TWINS) {
      await space.namespace(home);
      await create({ name, image: `example/${name}` }, `/api/functions/namespaces/${home}`);
    }
    const rows = await Promise.all(TWINS.map(([home]) => listed(`/api/functions/namespaces/${home}`)));
    expect(rows.map(([row]) => row?.['serviceName'])).toEqual(TWINS.map(() => 'namespace-twin-a-b-c'));
    await space.good('DELETE', '/api/functions/namespaces/twin-a/function/b-c');
    expect(preparedFor('example/b-c')).toEqual([]);
    expect(preparedFor('example/c')).toHaveLength(1);
  });

  test('has a container name of limited length, however long its own names are', async () => {
    const home = await space.namespace(`n${'_'.repeat(62)}n`);
    await create({ name: `s${'x'.repeat(63)}`, image: 'example/long' }, `/api/functions/namespaces/${home}`);
    expect(preparedFor('example/long')[0]?.id).toMatch(/^[a-z0-9-]{63}$/);
  });
});

test('the maximum of the minimum scale is a setting', () => {
  expect(readSettings({}).maxScale).toBe(3);
  expect(readSettings({ WEFT_MAX_SCALE: '7' }).maxScale).toBe(7);
  for (const text of ['-1', 'x', '1.5', '101']) {
    expect(() => readSettings({ WEFT_MAX_SCALE: text })).toThrow(`WEFT_MAX_SCALE is '${text}'`);
  }
});

describe('a service is rejected', () => {
  const bad = (body: object) => space.refusal('POST', all, { image: 'example/a', ...body });

  test.each([
    ['a bad name', { name: 'BAD_' }, "406 invalid service name (must conform to regex: '^[a-z]([-a-z0-9]{0,62}"],
    ['no image', { name: 'a', image: '' }, '406 image is missing'],
    ['an image that is none', { name: 'a', image: 'a b' }, '406 image is not the name of an image'],
    ['an unknown size', { name: 'a', size: 'huge' }, "406 size is 'huge'; it is small, medium or large"],
    ['a scale below zero', { name: 'a', minScale: -1 }, '406 minScale is -1'],
    ['an open quote', { name: 'a', cmd: 'echo "x' }, '406 cmd has a quote " that is not closed'],
    ['a bad variable', { name: 'a', envs: { 'A B': '' } }, "406 envs: 'A B' is not a valid name"],
    ['too much', { name: 'a', cmd: 'x'.repeat(30_000) }, '413 cmd has 30000 characters'],
  ])('with %s', async (_what, body, message) => {
    expect(await bad(body)).toContain(message);
    expect(await listed()).toEqual([]);
  });

  test('when the name is in use', async () => {
    await create({ name: 'twice' });
    expect(await bad({ name: 'twice' })).toContain('409 already exists');
    await create({ name: 'twice' }, `/api/functions/namespaces/${await space.namespace()}`);
  });

  test('when its name is reserved by the routes', async () => {
    expect(await space.refusal('POST', '/api/functions', { name: 'registries', image: 'a' })).toContain(
      "406 invalid service name: 'registries' is reserved",
    );
    await create({ name: 'registries' });
  });

  test('in an unknown namespace', async () => {
    for (const [method, body] of [['GET'], ['POST', { name: 'a', image: 'b' }]] as const) {
      expect(await space.refusal(method, '/api/functions/namespaces/nowhere', body)).toBe('404 namespace not found');
    }
  });

  test('and reading an unknown one is 404, while deleting it succeeds', async () => {
    expect(await space.refusal('GET', one('nobody'))).toContain('404 not found');
    expect(await space.refusal('POST', one('nobody'), { image: 'a' })).toContain('404 not found');
    expect(await space.refusal('PATCH', one('nobody'), { values: [] })).toContain('404 not found');
    await space.good('DELETE', one('nobody'));
  });
});

describe('containers', () => {
  test('that cannot start have the reason in the status of their service', async () => {
    await create({ name: 'broken', image: 'bad/image' });
    const [row] = await listed();
    expect(row).toMatchObject({ status: 'False' });
    expect(rowsOf(row?.['conditions'])[1]).toEqual({
      name: 'Ready',
      status: 'False',
      reason: 'ImagePull',
      message: 'there is no image bad/image',
    });
  });

  test('with an invalid newest revision still serve the revisions with traffic', async () => {
    await create({ name: 'half' });
    await addRevision('half', { image: 'bad/image', trafficPercent: 0 });
    expect(conditionsOf((await listed())[0])).toEqual([
      'ConfigurationsReady False ImagePull',
      'Ready False ImagePull',
      'RoutesReady True',
    ]);
  });

  test('have a status with the reason where none can run, and are prepared once they can', async () => {
    space.containers.script.problem = 'no engine here';
    await create({ name: 'later', image: 'example/later' });
    expect(rowsOf((await listed())[0]?.['conditions'])[1]).toMatchObject({
      status: 'False',
      message: 'no engine here',
    });
    expect(preparedFor('example/later')).toEqual([]);
    space.containers.script.problem = undefined;
    expect((await listed())[0]).toMatchObject({ status: 'Unknown' });
    expect((await listed())[0]).toMatchObject({ status: 'True' });
  });

  test('whose preparation was interrupted are prepared at the next reading', async () => {
    await create({ name: 'cut', image: 'example/cut' });
    const [{ id } = { id: '' }] = preparedFor('example/cut');
    space.containers.lose(id);
    await space.good('GET', one('cut'));
    expect(preparedFor('example/cut')).toHaveLength(1);
  });

  test('are removed with their service and with their namespace', async () => {
    await create({ name: 'a', image: 'example/gone-a' });
    await create({ name: 'b', image: 'example/gone-b' });
    await space.good('DELETE', one('a'));
    expect(preparedFor('example/gone-a')).toEqual([]);
    await space.good('DELETE', `/api/namespaces/${namespace}`);
    expect(preparedFor('example/gone-b')).toEqual([]);
  });

  test('of a namespace that was created again do not include the former ones', async () => {
    await create({ name: 'a', image: 'example/anew' });
    await space.good('DELETE', `/api/namespaces/${namespace}`);
    await space.namespace(namespace);
    expect(await listed()).toEqual([]);
    await create({ name: 'a', image: 'example/anew' });
    expect(preparedFor('example/anew')).toHaveLength(1);
  });

  test('get matching credentials: of all services, of global services, of their namespace', async () => {
    const registries = '/api/functions/registries';
    const store = (place: string, data: string) =>
      space.good('POST', `${registries}/${place}`, { reg: 'https://hub.example', data });
    await store('global', 'for-all:1');
    await store('private', 'for-global:2');
    await store(`namespaces/${namespace}`, 'for-home:3');
    await create({ name: 'opened', image: 'hub.example/x' });
    await create({ name: 'opened', image: 'hub.example/y' }, '/api/functions');
    const usersOf = (image: string) => preparedFor(image)[0]?.credentials.map(({ user, token }) => [user, token]);
    expect(usersOf('hub.example/x')).toEqual([
      ['for-all', '1'],
      ['for-home', '3'],
    ]);
    expect(usersOf('hub.example/y')).toEqual([
      ['for-all', '1'],
      ['for-global', '2'],
    ]);
  });
});
