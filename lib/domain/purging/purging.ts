import { BusyError } from '../../ports/executions.ts';
import type { Ports } from '../../ports/ports.ts';
import { BATCH_LIMIT, type Item, type Write } from '../../ports/table.ts';
import * as listenerList from '../events/listener-list.ts';
import * as listeners from '../events/listeners.ts';
import { deleteLog } from '../logs/lines.ts';
import * as metrics from '../metrics/metrics.ts';
import * as deletions from '../namespaces/deletions.ts';
import { removeOfWorkflow } from '../namespaces/variables.ts';
import { containersOf } from '../services/services.ts';
import { deleteAll } from '../storage/batches.ts';
import { ignoreConflict, onConflict } from '../storage/conflicts.ts';
import { functionLimits, ownerLimits } from '../storage/keys/concurrency-keys.ts';
import { jobs } from '../storage/keys/job-keys.ts';
import { unfinishedTasks } from '../storage/keys/worker-keys.ts';
import * as keys from '../storage/keys.ts';
import type { Purge } from '../storage/purges.ts';
import * as purges from '../storage/purges.ts';
import { pagesOf, readAll } from '../storage/queries.ts';
import { type Spread, spreadFrom } from '../storage/spread.ts';
import { keepSources } from '../tree/kept-sources.ts';
import * as nodes from '../tree/nodes.ts';
import * as revisions from '../tree/revisions.ts';
import { uncounting } from '../tree/tree.ts';

type Needs = Parameters<typeof deleteLog>[0] & Pick<Ports, 'table' | 'blobs' | 'schedules' | 'containers' | 'clock'>;
type FinishNeeds = Needs & Pick<Ports, 'executions'>;

/** A handle of each machine: handles are versions of a machine, and end in `:` and the version. */
const machinesOf = (handles: readonly (string | undefined)[]): string[] => {
  const byName = new Map(
    handles.flatMap((handle = '') => (handle === '' ? [] : [[handle.replace(/:[^:]*$/, ''), handle]])),
  );
  return [...byName.values()];
};

/**
 * Removes the start listeners and the schedule of the workflow, in any of its revisions. Its machines are removed by
 * the reconciler, at the pace that Step Functions allows.
 */
async function removeStarts({ table, blobs, schedules, clock }: Needs, id: string, namespaceId: string): Promise<void> {
  const owner = { namespaceId, kind: 'start', id } as const;
  const handles: string[] = [];
  let isLimited = false;
  for (const item of await readAll(table, keys.revisions(id))) {
    const { plan, machines } = await revisions.fromItem(blobs, id, item);
    handles.push(...Object.values(machines));
    isLimited ||= plan?.concurrency !== undefined;
    const gone = plan === undefined ? [] : listeners.toDeletions(owner, listeners.startFilters(plan));
    if (gone.length > 0) await table.write(gone);
    if (plan?.start.type === 'scheduled') await schedules.remove(id);
  }
  const markers = machinesOf(handles).map((handle) =>
    purges.toWrite({ marker: clock.uuid(), kind: 'machine', id: handle, namespaceId }),
  );
  await table.write([
    { do: 'delete', key: keys.collection(id) },
    ...(isLimited ? [{ do: 'delete', key: ownerLimits(id) } as const] : []),
    ...markers,
  ]);
}

/** Removes the services of a namespace, or of one workflow in it, after the containers that run for them. */
async function removeServices({ table, containers }: Needs, range: keys.PartitionRange): Promise<void> {
  for (;;) {
    const { items } = await table.query({ ...range, limit: BATCH_LIMIT });
    if (items.length === 0) return;
    for (const item of items) {
      await Promise.all(containersOf(item).map((id) => containers.remove(id)));
      const key = { table: range.table, pk: item.pk, sk: item.sk };
      const deletion: Write = { do: 'delete', key, when: { equals: { change: Number(item['change']) } } };
      // If the service has another revision meanwhile, the next page contains it again.
      await ignoreConflict(table.write([deletion]));
    }
  }
}

/** The node of the tree, or the namespace, that is removed, by its id. */
interface Removal {
  readonly id: string;
  readonly namespaceId: string;
  /** Undefined: the sources of the workflows are not kept. */
  readonly path: string | undefined;
  /** The name of its namespace, which counts its workflows; undefined: the namespace is removed. */
  readonly namespaceName?: string | undefined;
  /** The partitions of a namespace. */
  readonly spread?: Spread | undefined;
  /** The purge, in which all that is deleted can be restored together. */
  readonly marker: string;
}

/** Deletes the node of a workflow or directory whose contents are removed, and counts a workflow less in its namespace. */
async function removeNode({ table, clock }: Needs, node: Item, removal: Removal): Promise<void> {
  const { namespaceId, namespaceName, path, marker } = removal;
  const deletion = { do: 'delete', key: { table: 'catalog', pk: node.pk, sk: node.sk } } as const;
  const isCounted = namespaceName !== undefined && node['type'] !== 'directory';
  const counting = isCounted ? uncounting({ id: namespaceId, name: namespaceName }, nodes.startsIn(node)) : [];
  const when = { equals: { updated: Number(node['updated']) } };
  const found = nodes.fromItem(node, path ?? '');
  const isKept = path !== undefined && nodes.isWorkflow(found);
  const kept = isKept ? [deletions.toWrite(namespaceId, marker, clock.now(), found)] : [];
  await onConflict(table.write([{ ...deletion, when }, ...counting, ...kept]), async ({ failed }) => {
    // If it was changed, the next page has it as it is; else the namespace was deleted meanwhile.
    if (!failed.includes(0)) await table.write([deletion]);
  });
}

async function removeWorkflow(needs: Needs, { id, namespaceId, path }: Removal): Promise<void> {
  const { table, blobs } = needs;
  // First: the workflow can be restored also while what follows fails.
  if (path !== undefined) await keepSources(needs, { id, namespaceId, path });
  await removeStarts(needs, id, namespaceId);
  // Before the services: a service is created only while its revision exists.
  await deleteAll(table, keys.revisions(id));
  await removeServices(needs, keys.workflowServices(namespaceId, id));
  await deleteAll(table, keys.refs(id));
  await removeOfWorkflow(needs, namespaceId, id);
  // The counters of a namespace that is removed are deleted with it.
  if (path !== undefined) await metrics.keepOf(needs, { id, namespaceId, path });
  await blobs.remove(keys.blobOf('workflows', id, ''));
}

async function removeEntry(needs: Needs, item: Item, removal: Removal): Promise<void> {
  const { namespaceId, namespaceName, path, marker } = removal;
  const isDirectory = item['type'] === 'directory';
  const place = { id: String(item['id']), path: path === undefined ? path : `${path}/${item.sk}` };
  await (isDirectory ? removeDirectory : removeWorkflow)(needs, { ...place, namespaceId, namespaceName, marker });
  await removeNode(needs, item, removal);
}

/** An entry that cannot be removed does not keep the others. Throws the first fault in the end. */
async function removeDirectory(needs: Needs, removal: Removal): Promise<void> {
  for (;;) {
    const faults: unknown[] = [];
    let isEmpty = true;
    for await (const items of pagesOf(needs.table, { ...keys.directory(removal.id), limit: BATCH_LIMIT })) {
      isEmpty &&= items.length === 0;
      for (const item of items) {
        await removeEntry(needs, item, removal).catch((fault: unknown) => void faults.push(fault));
      }
    }
    if (faults.length > 0) throw faults[0];
    if (isEmpty) return;
  }
}

async function removeNamespace(
  needs: Needs,
  { id, spread, marker }: keys.Home & Pick<Removal, 'marker'>,
): Promise<void> {
  const { table } = needs;
  // With the namespace its runs are out of reach: no source need be kept.
  await removeDirectory(needs, { id, namespaceId: id, path: undefined, marker });
  await deleteAll(table, keys.deletions(id));
  await deleteAll(table, jobs(id));
  await deleteAll(table, keys.keptSources(id));
  await listenerList.removeAll(needs, { id, spread });
  await removeServices(needs, keys.services(id));
  await deleteLog(needs, id);
  await deleteAll(table, keys.eventFilters(id));
  await deleteAll(table, keys.variables({ scope: 'namespace', id }));
  await deleteAll(table, keys.counters(id));
  await deleteAll(table, keys.deadLetters(id));
  await deleteAll(table, functionLimits(id));
  await deleteAll(table, keys.openRuns(id));
  await deleteAll(table, unfinishedTasks(id));
  await deleteAll(table, keys.openEvents(id));
  await deleteAll(table, keys.openCursors(id));
  // Without its data key no value that was encrypted in the namespace can be decrypted, in any copy.
  await table.write([{ do: 'delete', key: keys.dataKey(id) }]);
  await deleteAll(table, keys.secrets(id));
  await deleteAll(table, keys.registries(id));
  await needs.blobs.remove(keys.blobOf('namespaces', id, ''));
  await needs.blobs.remove(keys.blobOf('events', id, ''));
}

const REMOVE: Record<Purge['kind'], (needs: Needs, purge: Removal) => Promise<void>> = {
  namespace: (needs, { id, spread, marker }) => removeNamespace(needs, { id, spread, marker }),
  directory: removeDirectory,
  workflow: removeWorkflow,
  container: ({ containers }, { id }) => containers.remove(id),
};

/** Removes the contents of a deleted thing, then the marker of the purge. Idempotent. */
export async function finish(needs: Needs, purge: Purge): Promise<void> {
  await REMOVE[purge.kind](needs, { ...purge, path: purge.path ?? '' });
  await needs.table.write([purges.toDeletion(purge)]);
}

/** Deletes a machine, then the marker. False: the quota of deletions is exhausted. */
async function finishMachine({ table, executions }: FinishNeeds, deletion: purges.MachineDeletion): Promise<boolean> {
  try {
    await executions.remove(deletion.id);
  } catch (error) {
    if (error instanceof BusyError) return false;
    throw error;
  }
  await table.write([purges.toDeletion(deletion)]);
  return true;
}

function purgeIn(item: Item): (Purge | purges.MachineDeletion) & Pick<Removal, 'path'> {
  const { namespaceName } = item;
  const textAt = (name: string): string => String(item[name] ?? '');
  return {
    marker: item.sk,
    kind: item['kind'] as (Purge | purges.MachineDeletion)['kind'],
    id: textAt('id'),
    namespaceId: textAt('namespaceId'),
    path: textAt('path'),
    ...(typeof namespaceName === 'string' ? { namespaceName } : {}),
    spread: spreadFrom(item),
  };
}

/**
 * Finishes every purge that was interrupted, and deletes machines until the quota of deletions is exhausted. One that fails
 * does not keep the others. Throws the first fault in the end.
 */
export async function finishAll(needs: FinishNeeds): Promise<void> {
  const faults: unknown[] = [];
  let mayDelete = true;
  const finishOne = async (purge: Purge | purges.MachineDeletion): Promise<void> => {
    if (purge.kind !== 'machine') await finish(needs, purge as Purge);
    else if (mayDelete) mayDelete = await finishMachine(needs, purge as purges.MachineDeletion);
  };
  for await (const items of pagesOf(needs.table, { ...keys.PURGES, limit: BATCH_LIMIT })) {
    for (const item of items) await finishOne(purgeIn(item)).catch((fault: unknown) => void faults.push(fault));
  }
  if (faults.length > 0) throw faults[0];
}
