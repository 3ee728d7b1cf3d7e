import type { Blobs } from '../../ports/blobs.ts';
import type { Containers } from '../../ports/containers.ts';
import type { Schedules } from '../../ports/schedules.ts';
import { ConflictError, type Table, type TableName } from '../../ports/table.ts';
import * as listeners from '../events/listeners.ts';
import { removeLog } from '../logs/lines.ts';
import * as metrics from '../metrics/metrics.ts';
import { containersOf } from '../services/services.ts';
import { readAll } from '../storage/items.ts';
import * as keys from '../storage/keys.ts';
import type { Purge } from '../storage/purges.ts';
import * as revisions from '../tree/revisions.ts';

type Needs = Parameters<typeof removeLog>[0] & {
  readonly table: Table;
  readonly blobs: Blobs;
  readonly schedules: Schedules;
  readonly containers: Containers;
};

const MOST_WRITES = 100;

async function removeAll(table: Table, name: TableName, pk: string): Promise<void> {
  for (;;) {
    const { items } = await table.query({ table: name, pk, limit: MOST_WRITES, only: ['pk', 'sk'] });
    if (items.length === 0) return;
    await table.write(items.map(({ pk, sk }) => ({ do: 'delete', key: { table: name, pk, sk } })));
  }
}

/** What starts the workflow by events or by the clock, in any of its revisions. */
async function removeStarts({ table, blobs, schedules }: Needs, id: string, namespaceId: string): Promise<void> {
  const owner = { namespaceId, kind: 'start', id } as const;
  for (const item of await readAll(table, keys.workflow(id))) {
    const { plan } = await revisions.fromItem(blobs, id, item);
    const gone = plan === undefined ? [] : listeners.toDeletions(owner, listeners.startFilters(plan));
    if (gone.length > 0) await table.write(gone);
    if (plan?.start.type === 'scheduled') await schedules.remove(id);
  }
  await table.write([{ do: 'delete', key: keys.collection(id) }]);
}

/** The services of a namespace, or those of one workflow in it; what runs of them first. */
async function removeServices({ table, containers }: Needs, namespaceId: string, workflowId?: string): Promise<void> {
  const place = { table: 'catalog', pk: keys.services(namespaceId) } as const;
  const some = workflowId === undefined ? {} : { prefix: keys.workflowServices(workflowId) };
  for (;;) {
    const { items } = await table.query({ ...place, ...some, limit: MOST_WRITES });
    if (items.length === 0) return;
    for (const item of items) {
      await Promise.all(containersOf(item).map((id) => containers.remove(id)));
      const when = { equals: { change: Number(item['change']) } };
      await table.write([{ do: 'delete', key: { ...place, sk: item.sk }, when }]).catch((error: unknown) => {
        // It has another revision by now; it is read again.
        if (!(error instanceof ConflictError)) throw error;
      });
    }
  }
}

async function removeWorkflow(needs: Needs, id: string, namespaceId: string): Promise<void> {
  const { table, blobs } = needs;
  await removeStarts(needs, id, namespaceId);
  // Before its services: who makes one looks whether its revision is still there.
  await removeAll(table, 'catalog', keys.workflow(id));
  await removeServices(needs, namespaceId, id);
  await removeAll(table, 'catalog', keys.refs(id));
  await removeAll(table, 'catalog', keys.variables({ scope: 'workflow', id }));
  await metrics.forget(needs, namespaceId, id);
  await blobs.remove(keys.blobOf('workflows', id, ''));
}

async function removeDirectory(needs: Needs, id: string, namespaceId: string): Promise<void> {
  for (;;) {
    const { items } = await needs.table.query({ table: 'catalog', pk: keys.directory(id), limit: MOST_WRITES });
    if (items.length === 0) return;
    for (const item of items) {
      const isDirectory = item['type'] === 'directory';
      await (isDirectory ? removeDirectory : removeWorkflow)(needs, String(item['id']), namespaceId);
      await needs.table.write([{ do: 'delete', key: { table: 'catalog', pk: item.pk, sk: item.sk } }]);
    }
  }
}

async function removeNamespace(needs: Needs, id: string): Promise<void> {
  await removeDirectory(needs, id, id);
  await listeners.removeAll(needs, id);
  await removeServices(needs, id);
  await removeLog(needs, id);
  await removeAll(needs.table, 'catalog', keys.eventFilters(id));
  await removeAll(needs.table, 'catalog', keys.variables({ scope: 'namespace', id }));
  await removeAll(needs.table, 'journal', keys.counters(id));
  await removeAll(needs.table, 'journal', keys.failedDeliveries(id));
  // Without its data key nothing sealed in the namespace opens again, wherever a copy of it lies.
  await needs.table.write([{ do: 'delete', key: keys.dataKey(id) }]);
  await removeAll(needs.table, 'catalog', keys.secrets(id));
  await removeAll(needs.table, 'catalog', keys.registries(id));
  await needs.blobs.remove(keys.blobOf('namespaces', id, ''));
}

const REMOVE: Record<Purge['kind'], (needs: Needs, id: string, namespaceId: string) => Promise<void>> = {
  namespace: removeNamespace,
  directory: removeDirectory,
  workflow: removeWorkflow,
  container: ({ containers }, id) => containers.remove(id),
};

/** Removes what the purge names, then its marker. Safe to repeat. */
export async function finish(needs: Needs, purge: Purge): Promise<void> {
  await REMOVE[purge.kind](needs, purge.id, purge.namespaceId);
  await needs.table.write([{ do: 'delete', key: keys.purge(purge.marker) }]);
}

/** Finishes every purge that was cut short. */
export async function finishAll(needs: Needs): Promise<void> {
  for (;;) {
    const { items } = await needs.table.query({ table: 'catalog', pk: keys.PURGES, limit: MOST_WRITES });
    if (items.length === 0) return;
    for (const item of items) {
      await finish(needs, {
        marker: item.sk,
        kind: item['kind'] as Purge['kind'],
        id: String(item['id']),
        namespaceId: String(item['namespaceId']),
      });
    }
  }
}
