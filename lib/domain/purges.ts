import type { Blobs, Clock, Table, Write } from '../ports.ts';
import * as keys from './keys.ts';

/**
 * What was deleted is out of reach at once; its contents are removed afterwards. The marker is written with the
 * deletion, so a purge that was cut short is found and finished by the next one.
 */
export interface Purge {
  readonly marker: string;
  readonly kind: 'namespace' | 'directory' | 'workflow';
  readonly id: string;
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

const MOST_WRITES = 100;

export function of({ clock }: { clock: Clock }, what: Pick<Purge, 'kind' | 'id'>): Purge {
  return { marker: clock.uuid(), ...what };
}

export function toWrite({ marker, kind, id }: Purge): Write {
  return { do: 'put', table: 'catalog', item: { pk: keys.PURGES, sk: marker, kind, id } };
}

async function removeAll(table: Table, name: 'catalog' | 'runs', pk: string): Promise<void> {
  for (;;) {
    const { items } = await table.query({ table: name, pk, limit: MOST_WRITES, only: ['pk', 'sk'] });
    if (items.length === 0) return;
    await table.write(items.map(({ pk, sk }) => ({ do: 'delete', key: { table: name, pk, sk } })));
  }
}

async function removeWorkflow({ table, blobs }: Needs, id: string): Promise<void> {
  await removeAll(table, 'catalog', keys.workflow(id));
  await removeAll(table, 'catalog', keys.variables({ scope: 'workflow', id }));
  await blobs.remove(keys.blobOf('workflows', id, ''));
}

async function removeDirectory(needs: Needs, id: string): Promise<void> {
  for (;;) {
    const { items } = await needs.table.query({ table: 'catalog', pk: keys.directory(id), limit: MOST_WRITES });
    if (items.length === 0) return;
    for (const item of items) {
      const isDirectory = item['type'] === 'directory';
      await (isDirectory ? removeDirectory : removeWorkflow)(needs, String(item['id']));
      await needs.table.write([{ do: 'delete', key: { table: 'catalog', pk: item.pk, sk: item.sk } }]);
    }
  }
}

async function removeNamespace(needs: Needs, id: string): Promise<void> {
  await removeDirectory(needs, id);
  await removeAll(needs.table, 'catalog', keys.variables({ scope: 'namespace', id }));
  await needs.blobs.remove(keys.blobOf('namespaces', id, ''));
}

const REMOVE: Record<Purge['kind'], (needs: Needs, id: string) => Promise<void>> = {
  namespace: removeNamespace,
  directory: removeDirectory,
  workflow: removeWorkflow,
};

/** Removes what the purge names, then its marker. Safe to repeat. */
export async function finish(needs: Needs, purge: Purge): Promise<void> {
  await REMOVE[purge.kind](needs, purge.id);
  await needs.table.write([{ do: 'delete', key: keys.purge(purge.marker) }]);
}

/** Finishes every purge that was cut short. */
export async function finishAll(needs: Needs): Promise<void> {
  for (;;) {
    const { items } = await needs.table.query({ table: 'catalog', pk: keys.PURGES, limit: MOST_WRITES });
    if (items.length === 0) return;
    for (const item of items) {
      await finish(needs, { marker: item.sk, kind: item['kind'] as Purge['kind'], id: String(item['id']) });
    }
  }
}
