import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
  namespace = await space.namespace();
  all = `/api/functions/namespaces/${namespace}`;
});

const create = (body: object) => space.good('POST', all, { image: 'example/a:1', ...body });
const addRevision = (name: string, body: object) => space.good('POST', one(name), { image: 'example/a:2', ...body });
const revisionsOf = async (name: string) => rowsOf((await space.good('GET', one(name)))['revisions']);
const trafficOf = async (name: string) =>
  Object.fromEntries((await revisionsOf(name)).map((row) => [row['revision'], row['traffic'] ?? 0]));
const conditionsOf = (row: Json | undefined) =>
  rowsOf(row?.['conditions']).map(({ name, status, reason }) => [name, status, reason].join(' ').trim());
const preparedFor = (image: string) =>
  [...space.containers.prepared.values()].map(({ revision }) => revision).filter((row) => row.image === image);

describe('traffic', () => {
  const nameOf = (generation: string) => `namespace-${namespace}-fast-${generation}`;
  const divide = (...percents: (readonly [string, unknown])[]) => ({
    values: percents.map(([generation, percent]) => ({ revision: nameOf(generation), percent })),
  });

  beforeEach(() => create({ name: 'fast' }));

  test('goes to a new revision in the requested proportion; the rest stays', async () => {
    await addRevision('fast', { trafficPercent: 30 });
    expect(await trafficOf('fast')).toEqual({ '00002': 30, '00001': 70 });
    await addRevision('fast', { trafficPercent: 0 });
    expect(await trafficOf('fast')).toEqual({ '00003': 0, '00002': 30, '00001': 70 });
    await addRevision('fast', { trafficPercent: '100' });
    expect(await trafficOf('fast')).toEqual({ '00004': 100, '00003': 0, '00002': 0, '00001': 0 });
  });

  test('goes to a new revision entirely by default, as older clients expect', async () => {
    await space.good('POST', one('fast'), { image: 'example/a:2', cmd: '', size: 2, minscale: 1 });
    expect(await trafficOf('fast')).toEqual({ '00002': 100, '00001': 0 });
    expect((await revisionsOf('fast'))[0]).toMatchObject({ size: 2, minScale: 1 });
  });

  test('can be divided between at most two revisions', async () => {
    await addRevision('fast', { trafficPercent: 40 });
    await addRevision('fast', { trafficPercent: 50 });
    expect(await trafficOf('fast')).toEqual({ '00003': 50, '00002': 0, '00001': 50 });
    const three = divide(['00001', 20], ['00002', 30], ['00003', 50]);
    expect(await space.refusal('PATCH', one('fast'), three)).toContain('406 traffic goes to 3 revisions');
  });

  test('can be divided again; a revision that is not named gets no traffic', async () => {
    await addRevision('fast', { trafficPercent: 100 });
    await addRevision('fast', { trafficPercent: 50 });
    await space.good('PATCH', one('fast'), divide(['00001', 60], ['00002', '40']));
    expect(await trafficOf('fast')).toEqual({ '00003': 0, '00002': 40, '00001': 60 });
    expect(conditionsOf((await revisionsOf('fast'))[0])[0]).toBe('Active False NoTraffic');
    await space.good('PATCH', one('fast'), divide(['00001', 100], ['00002', 0]));
    expect(await trafficOf('fast')).toEqual({ '00003': 0, '00002': 0, '00001': 100 });
  });

  test.each([
    ['without values', {}, '500 no traffic values'],
    ['without a value', { values: [] }, '500 no traffic defined'],
    ['to an unknown revision', { values: [{ revision: 'who', percent: 100 }] }, '500 unknown revision who'],
  ])('with %s is rejected', async (_what, body, message) => {
    expect(await space.refusal('PATCH', one('fast'), body)).toBe(message);
  });

  test.each([
    ['less than 100 percent', [['00001', 60]], '406 the percentages add up to 60'],
    ['more than 100 percent', [['00001', 101]], '406 values[0].percent is 101'],
    [
      'for one revision twice',
      [
        ['00001', 50],
        ['00001', 50],
      ],
      'is named twice',
    ],
  ] as const)('that is %s is rejected', async (_what, percents, message) => {
    expect(await space.refusal('PATCH', one('fast'), divide(...percents))).toContain(message);
    expect(await trafficOf('fast')).toEqual({ '00001': 100 });
  });

  test('keeps all of many concurrent changes', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => space.client.call('POST', one('fast'), { json: { image: 'example/a:2' } })),
    );
    const made = answers.filter(({ status }) => status === 200).length;
    expect(made).toBeGreaterThan(0);
    expect(await revisionsOf('fast')).toHaveLength(1 + made);
  });
});

describe('a revision', () => {
  const revision = (generation: string) => `${one('fast')}/revisions/${generation}`;

  beforeEach(() => create({ name: 'fast' }));

  test('is deleted only when it has no traffic', async () => {
    await addRevision('fast', { image: 'example/gone', trafficPercent: 20 });
    expect(await space.refusal('DELETE', revision('00002'))).toBe(
      `500 revision namespace-${namespace}-fast-00002 still has traffic assigned: 20%`,
    );
    const values = [{ revision: `namespace-${namespace}-fast-00001`, percent: 100 }];
    await space.good('PATCH', one('fast'), { values });
    await space.good('DELETE', revision('00002'));
    expect(await trafficOf('fast')).toEqual({ '00001': 100 });
    expect(preparedFor('example/gone')).toEqual([]);
    expect(await space.refusal('DELETE', revision('00002'))).toContain('404 not found');
    await addRevision('fast', { trafficPercent: 0 });
    expect(Object.keys(await trafficOf('fast'))).toEqual(['00003', '00001']);
  });

  test('has pods', async () => {
    const [pod] = rowsOf((await space.good('GET', `${revision('00001')}/pods`))['pods']);
    const serviceName = `namespace-${namespace}-fast`;
    expect(pod).toMatchObject({ status: 'Running', serviceName, serviceRevision: `${serviceName}-00001` });
    for (const path of [`${revision('00009')}/pods`, `${one('nobody')}/revisions/00001/pods`]) {
      expect(await space.good('GET', path)).toEqual({ pods: [] });
    }
  });

  test('without traffic is deleted when there are too many revisions', async () => {
    const gone = [...space.containers.prepared.keys()].length;
    for (let count = 0; count < 11; count += 1) await addRevision('fast', { trafficPercent: 100 });
    const kept = (await revisionsOf('fast')).map((row) => String(row['revision']));
    expect(kept).toHaveLength(10);
    expect([kept[0], kept[9]]).toEqual(['00012', '00003']);
    expect(space.containers.prepared.size).toBe(gone - 1 + 10);
  });
});
