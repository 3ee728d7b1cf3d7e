import { beforeEach, describe, expect, test } from 'vitest';
import { localSealer } from '../../../lib/adapters/local/sealer.ts';
import type { Namespace } from '../../../lib/domain/namespaces/namespaces.ts';
import { collectAllUnused, collectUnused } from '../../../lib/domain/services/garbage.ts';
import { openService, type ServicePlan } from '../../../lib/domain/services/resolution.ts';
import * as services from '../../../lib/domain/services/services.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { HOUR_MS } from '../../../lib/time/units.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';

let quiet: MemoryPorts;
let namespace: Namespace;
let opened: workflows.Opened;

const yaml = (image: string): string =>
  `functions: [{id: step, type: knative-workflow, image: ${image}}]\nstates: [{id: a, type: noop}]\n`;

beforeEach(async () => {
  quiet = new MemoryPorts();
  namespace = await quiet.namespace('home');
  opened = await workflows.create(quiet.ports, 'home', 'wf', yaml('first'));
});

async function call(by = opened): Promise<string> {
  const { node, revision } = by;
  const plan = revision.plan?.functions['step'] as ServicePlan;
  const workflow = { id: node.id, path: node.path, revision: revision.id };
  const ports = { ...quiet.ports, sealer: localSealer() };
  const opening = await openService(ports, { namespace, workflow, name: 'step', plan });
  return (await opening.revisionFor('call')).id;
}

async function imagesLeft(): Promise<string[]> {
  const scope = { kind: 'workflow', namespace, workflow: opened.node } as const;
  return (await services.list(quiet.ports, scope)).map((service) => services.newestOf(service).image);
}

const update = async (image: string) => {
  opened = await workflows.update(quiet.ports, opened, yaml(image));
};

describe('a service that no live revision defines', () => {
  test('is deleted an hour after its last call', async () => {
    const id = await call();
    await update('second');
    quiet.now += HOUR_MS;
    await collectUnused(quiet.ports, namespace, opened.node.id);
    expect(await imagesLeft()).toEqual(['first']);
    quiet.now += 1;
    await collectUnused(quiet.ports, namespace, opened.node.id);
    expect(await imagesLeft()).toEqual([]);
    expect(quiet.containers.removed).toEqual([id]);
  });

  test('stays while runs of a former revision call it', async () => {
    await call();
    quiet.now += HOUR_MS;
    await call();
    await update('second');
    quiet.now += 1;
    await collectAllUnused(quiet.ports, namespace);
    expect(await imagesLeft()).toEqual(['first']);
  });

  test('is created again for a call at the time of its deletion', async () => {
    const older = opened;
    await call();
    await update('second');
    quiet.now += HOUR_MS + 1;
    const { table } = quiet.ports;
    const { write } = table;
    table.write = async (writes) => {
      table.write = write;
      await collectUnused(quiet.ports, namespace, opened.node.id);
      expect(await imagesLeft()).toEqual([]);
      return write.call(table, writes);
    };
    const id = await call(older);
    expect(await imagesLeft()).toEqual(['first']);
    expect(quiet.containers.prepared.has(id)).toBe(true);
  });

  test('is deleted without the service of the latest revision', async () => {
    await update('second');
    await call();
    quiet.now += 2 * HOUR_MS;
    await collectAllUnused(quiet.ports, namespace);
    expect(await imagesLeft()).toEqual(['second']);
  });
});
