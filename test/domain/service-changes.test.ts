import { beforeEach, describe, expect, test } from 'vitest';
import { localSealer } from '../../lib/adapters/local/sealer.ts';
import * as namespaces from '../../lib/domain/namespaces.ts';
import * as removals from '../../lib/domain/removals.ts';
import * as changing from '../../lib/domain/service-changes.ts';
import { standingsOf } from '../../lib/domain/service-containers.ts';
import * as services from '../../lib/domain/services.ts';
import { QuietPorts } from '../engine/quiet-ports.ts';

let quiet: QuietPorts;
let namespace: namespaces.Namespace;
let ports: Parameters<typeof changing.create>[0];
let scope: { readonly kind: 'namespace'; readonly namespace: namespaces.Namespace };

const WISH = { image: 'example/a', cmd: '', size: 0, minScale: 0, envs: {} };

beforeEach(async () => {
  quiet = new QuietPorts();
  namespace = await quiet.namespace('home');
  ports = { ...quiet.ports, sealer: localSealer() };
  scope = { kind: 'namespace', namespace };
});

/** The next removal of a container fails, as when the process dies before it. */
function failNextRemoval(): void {
  const { remove } = quiet.containers;
  quiet.containers.remove = async () => {
    quiet.containers.remove = remove;
    throw new Error('died');
  };
}

describe('a removal that was cut short', () => {
  test('of a service is finished afterwards', async () => {
    await changing.create(ports, scope, 'a', WISH);
    failNextRemoval();
    await expect(changing.remove(ports, scope, 'a')).rejects.toThrow('died');
    expect(await services.find(ports, scope, 'a')).toBeUndefined();
    expect(quiet.containers.prepared.size).toBe(1);
    await removals.finishAll(quiet.ports);
    expect(quiet.containers.prepared.size).toBe(0);
  });

  test('does not take a service along that was created anew', async () => {
    await changing.create(ports, scope, 'a', WISH);
    failNextRemoval();
    await expect(changing.remove(ports, scope, 'a')).rejects.toThrow('died');
    await changing.create(ports, scope, 'a', WISH);
    await removals.finishAll(quiet.ports);
    const service = await services.need(ports, scope, 'a');
    expect([...quiet.containers.prepared.keys()]).toEqual([
      services.namesOfRevision(service, services.newestOf(service)).id,
    ]);
  });

  test('of a namespace is finished afterwards', async () => {
    await changing.create(ports, scope, 'a', WISH);
    const purge = await namespaces.remove(quiet.ports, 'home', false);
    failNextRemoval();
    await expect(removals.finish(quiet.ports, purge)).rejects.toThrow('died');
    await removals.finishAll(quiet.ports);
    expect(quiet.containers.prepared.size).toBe(0);
  });
});

test('what is deleted while somebody looks after it does not run on', async () => {
  await changing.create(ports, scope, 'a', WISH);
  const seen = await services.need(ports, scope, 'a');
  await changing.remove(ports, scope, 'a');
  await standingsOf(ports, [seen]);
  expect(quiet.containers.preparations).toHaveLength(2);
  expect(quiet.containers.prepared.size).toBe(0);
});

test('a namespace that is being deleted gets no new service', async () => {
  await namespaces.remove(quiet.ports, 'home', false);
  await expect(changing.create(ports, scope, 'a', WISH)).rejects.toThrow('namespace not found');
});

test('a service with the most revisions of the largest size fits into an item', async () => {
  const wish = { ...WISH, cmd: 'x'.repeat(19_000) };
  await changing.create(ports, scope, 'a', wish);
  for (let count = 0; count < 12; count += 1) {
    await changing.addRevision(ports, scope, 'a', { ...wish, trafficPercent: 1 });
  }
  expect((await services.need(ports, scope, 'a')).revisions.length).toBeLessThan(13);
});
