import * as namespaces from '../../domain/namespaces/namespaces.ts';
import { putAt } from '../../domain/storage/batches.ts';
import * as keys from '../../domain/storage/keys.ts';
import { readAll } from '../../domain/storage/queries.ts';
import { openById } from '../../domain/tree/arming.ts';
import * as nodes from '../../domain/tree/nodes.ts';
import * as schedules from '../../domain/tree/schedules.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Write } from '../../ports/table.ts';

type Needs = Pick<Ports, 'table' | 'blobs' | 'clock'>;

async function markersOf(ports: Needs, { namespace, node }: nodes.ResolvedNode): Promise<Write[]> {
  const address = { id: node.id, namespace: namespace.name, path: node.path };
  const opened = await openById(ports, address);
  return schedules.toMarkers(address, { before: undefined, after: opened?.revision.plan }, ports.clock.uuid());
}

async function markDirectory(ports: Needs, { namespace, node }: nodes.ResolvedNode): Promise<void> {
  for (const item of await readAll(ports.table, keys.directory(node.id))) {
    const child = nodes.fromItem(item, node.path);
    if (!nodes.isWorkflow(child)) await markDirectory(ports, { namespace, node: child });
    else for (const marker of await markersOf(ports, { namespace, node: child })) await ports.table.write([marker]);
  }
}

/**
 * Sees to it that the schedules of all workflows are set again, if they were deleted with another installation: marks each
 * scheduled workflow as changed, for the reconciler. Does nothing when this installation did so before. Idempotent.
 * Returns when this installation was noticed first, milliseconds since 1970; 0: by a version that did not store it.
 */
export async function rearmAll(ports: Needs, installation: string): Promise<number> {
  const [item] = await ports.table.get([keys.INSTALLATION]);
  if (item?.['name'] === installation) return Number(item['since'] ?? 0);
  const since = ports.clock.now();
  for (const row of await readAll(ports.table, keys.NAMESPACES)) {
    const { name } = namespaces.fromItem(row);
    await markDirectory(ports, await nodes.need(ports, name, '/'));
  }
  await ports.table.write([putAt(keys.INSTALLATION, { name: installation, since })]);
  return since;
}
