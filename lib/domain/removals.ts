import type { Blobs, Schedules, Table } from '../ports.ts';
import { readAll } from './items.ts';
import * as keys from './keys.ts';
import * as listeners from './listeners.ts';
import type { Purge } from './purges.ts';
import * as revisions from './revisions.ts';

type Needs = { readonly table: Table; readonly blobs: Blobs; readonly schedules: Schedules };

const MOST_WRITES = 100;

async function removeAll(table: Table, name: 'catalog' | 'runs', pk: string): Promise<void> {
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

async function removeWorkflow(needs: Needs, id: string, namespaceId: string): Promise<void> {
  const { table, blobs } = needs;
  await removeStarts(needs, id, namespaceId);
  await removeAll(table, 'catalog', keys.workflow(id));
  await removeAll(table, 'catalog', keys.refs(id));
  await removeAll(table, 'catalog', keys.variables({ scope: 'workflow', id }));
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
  await removeAll(needs.table, 'catalog', keys.variables({ scope: 'namespace', id }));
  await needs.blobs.remove(keys.blobOf('namespaces', id, ''));
}

const REMOVE: Record<Purge['kind'], (needs: Needs, id: string, namespaceId: string) => Promise<void>> = {
  namespace: removeNamespace,
  directory: removeDirectory,
  workflow: removeWorkflow,
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
