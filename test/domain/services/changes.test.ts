import { beforeEach, describe, expect, test } from 'vitest';
import { localSealer } from '../../../lib/adapters/local/sealer.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as removals from '../../../lib/domain/purging/purging.ts';
import * as changing from '../../../lib/domain/services/changes.ts';
import { statusesOf } from '../../../lib/domain/services/containers.ts';
import * as services from '../../../lib/domain/services/services.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';

let quiet: MemoryPorts;
let namespace: namespaces.Namespace;
let ports: Parameters<typeof changing.create>[0];
let scope: { readonly kind: 'namespace'; readonly namespace: namespaces.Namespace };

const INPUT = { image: 'example/a', cmd: '', size: 0, minScale: 0, envs: {} };

beforeEach(async () => {
  quiet = new MemoryPorts();
  namespace = await quiet.namespace('home');
  ports = { ...quiet.ports, sealer: localSealer() };
  scope = { kind: 'namespace', namespace };
});

/** Makes the next removal of a container fail, as if the process had crashed before it. */
function failNextRemoval(): void {
  const { remove } = quiet.containers;
  quiet.containers.remove = async () => {
    quiet.containers.remove = remove;
    throw new Error('the process ended');
  };
}

describe('a removal that was interrupted', () => {
  test('of a service is finished afterwards', async () => {
    await changing.create(ports, scope, 'a', INPUT);
    failNextRemoval();
    await expect(changing.remove(ports, scope, 'a')).rejects.toThrow('the process ended');
    expect(await services.find(ports, scope, 'a')).toBeUndefined();
    expect(quiet.containers.prepared.size).toBe(1);
    await removals.finishAll(quiet.ports);
    expect(quiet.containers.prepared.size).toBe(0);
  });

  test('does not remove a new service of the same name', async () => {
    await changing.create(ports, scope, 'a', INPUT);
    failNextRemoval();
    await expect(changing.remove(ports, scope, 'a')).rejects.toThrow('the process ended');
    await changing.create(ports, scope, 'a', INPUT);
    await removals.finishAll(quiet.ports);
    const service = await services.need(ports, scope, 'a');
    expect([...quiet.containers.prepared.keys()]).toEqual([
      services.namesOfRevision(service, services.newestOf(service)).id,
    ]);
  });

  test('of a namespace is finished afterwards', async () => {
    await changing.create(ports, scope, 'a', INPUT);
    const purge = await namespaces.remove(quiet.ports, 'home', false);
    failNextRemoval();
    await expect(removals.finish(quiet.ports, purge)).rejects.toThrow('the process ended');
    await removals.finishAll(quiet.ports);
    expect(quiet.containers.prepared.size).toBe(0);
  });
});

test('a service that is deleted while it is prepared does not keep running', async () => {
  await changing.create(ports, scope, 'a', INPUT);
  const seen = await services.need(ports, scope, 'a');
  await changing.remove(ports, scope, 'a');
  await statusesOf(ports, [seen]);
  expect(quiet.containers.preparations).toHaveLength(2);
  expect(quiet.containers.prepared.size).toBe(0);
});

test('a namespace that is being deleted gets no new service', async () => {
  await namespaces.remove(quiet.ports, 'home', false);
  await expect(changing.create(ports, scope, 'a', INPUT)).rejects.toThrow('namespace not found');
});

test('a service with the maximum number of revisions of the maximum size fits into an item', async () => {
  const input = { ...INPUT, cmd: 'x'.repeat(19_000) };
  await changing.create(ports, scope, 'a', input);
  for (let count = 0; count < 12; count += 1) {
    await changing.addRevision(ports, scope, 'a', { ...input, trafficPercent: 1 });
  }
  expect((await services.need(ports, scope, 'a')).revisions.length).toBeLessThan(13);
});

describe('concurrent changes', () => {
  const AT_ONCE = 20;
  const each = <T>(act: (n: number) => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, (_, n) => act(n)));
  const current = () => services.need(ports, scope, 'a');
  const sumOf = ({ traffic }: services.Service) => traffic.reduce((sum, { percent }) => sum + percent, 0);

  test('all add their revisions, each with its own generation', async () => {
    await changing.create(ports, scope, 'a', INPUT);
    await each((n) => changing.addRevision(ports, scope, 'a', { ...INPUT, trafficPercent: n * 5 }));
    const service = await current();
    expect(service.last).toBe(1 + AT_ONCE);
    expect(new Set(quiet.containers.preparations).size).toBe(1 + AT_ONCE);
    expect(sumOf(service)).toBe(100);
    const ids = service.revisions.map((revision) => services.namesOfRevision(service, revision).id);
    expect([...quiet.containers.prepared.keys()].toSorted()).toEqual(ids.toSorted());
  });

  test('of the traffic leave the traffic of one of them', async () => {
    await changing.create(ports, scope, 'a', INPUT);
    await changing.addRevision(ports, scope, 'a', { ...INPUT, trafficPercent: 50 });
    await each((n) =>
      changing.divideTraffic(ports, scope, 'a', [
        { revision: 'namespace-home-a-00001', percent: n },
        { revision: 'namespace-home-a-00002', percent: 100 - n },
      ]),
    );
    const service = await current();
    expect(sumOf(service)).toBe(100);
    expect(service.change).toBe(1 + 1 + AT_ONCE);
  });

  test('that delete a revision and give it traffic leave no traffic for a deleted revision', async () => {
    await changing.create(ports, scope, 'a', INPUT);
    await changing.addRevision(ports, scope, 'a', { ...INPUT, trafficPercent: 0 });
    const all = [{ revision: 'namespace-home-a-00002', percent: 100 }];
    const outcomes = await Promise.allSettled([
      changing.removeRevision(ports, scope, 'a', '00002'),
      changing.divideTraffic(ports, scope, 'a', all),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const service = await current();
    const generations = service.revisions.map(({ generation }) => generation);
    expect(service.traffic.every(({ generation }) => generations.includes(generation))).toBe(true);
  });
});

test('generations continue after 99999, and only their own suffix finds them', async () => {
  await changing.create(ports, scope, 'a', INPUT);
  const { pk, sk } = services.keyOf({ scope, name: 'a', version: '' });
  const key = { table: 'catalog', pk, sk } as const;
  await ports.table.write([{ do: 'update', key, set: { last: 99_999 }, when: { present: true } }]);
  await changing.addRevision(ports, scope, 'a', { ...INPUT, trafficPercent: 100 });
  const service = await services.need(ports, scope, 'a');
  expect(service.revisions.map((revision) => services.namesOfRevision(service, revision).name)).toEqual([
    'namespace-home-a-100000',
    'namespace-home-a-00001',
  ]);
  for (const other of ['000001', '0100000', '1', '00002']) {
    await expect(changing.removeRevision(ports, scope, 'a', other)).rejects.toThrow(`no revision '${other}'`);
  }
  await changing.removeRevision(ports, scope, 'a', '00001');
  await changing.divideTraffic(ports, scope, 'a', [{ revision: 'namespace-home-a-100000', percent: 100 }]);
});

test('services with equal names in two namespaces are independent', async () => {
  const one = { kind: 'namespace', namespace: await quiet.namespace('x-y') } as const;
  const other = { kind: 'namespace', namespace: await quiet.namespace('x') } as const;
  await changing.create(ports, one, 'z', INPUT);
  await changing.create(ports, other, 'y-z', INPUT);
  expect(services.nameOf(await services.need(ports, one, 'z'))).toBe('namespace-x-y-z');
  expect(services.nameOf(await services.need(ports, other, 'y-z'))).toBe('namespace-x-y-z');
  expect(quiet.containers.prepared.size).toBe(2);
  await changing.remove(ports, one, 'z');
  const left = await services.need(ports, other, 'y-z');
  expect([...quiet.containers.prepared.keys()]).toEqual([services.namesOfRevision(left, services.newestOf(left)).id]);
});
