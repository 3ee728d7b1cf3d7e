import type { Ports } from '../../ports/ports.ts';
import { ConflictError, type Item } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';
import { arm } from './schedules.ts';
import { findById } from './tree.ts';
import * as workflows from './workflows.ts';

type Needs = Pick<Ports, 'table' | 'blobs' | 'schedules'>;

/** A workflow whose schedule is to follow a change, as its marker names it. */
export interface OpenSchedule {
  readonly id: string;
  readonly namespace: string;
  readonly path: string;
}

/** The workflow with an id: at the path, or where it has been moved to; undefined when it is deleted. */
export async function openById(
  ports: Pick<Needs, 'table' | 'blobs'>,
  { id, namespace, path }: OpenSchedule,
): Promise<workflows.Opened | undefined> {
  const unlessMissing = (error: unknown): undefined => {
    if (!(error instanceof ServiceError)) throw error;
  };
  const there = await workflows.open(ports, namespace, path).catch(unlessMissing);
  if (there?.node.id === id) return there;
  const moved = await findById(ports, namespace, id).catch(unlessMissing);
  return moved === undefined ? undefined : workflows.open(ports, namespace, moved).catch(unlessMissing);
}

/** The schedules of workflows whose change is not complete: its process was interrupted, or is still working. */
export async function openSchedules({ table }: Pick<Needs, 'table'>): Promise<OpenSchedule[]> {
  const items = await readAll(table, keys.OPEN_SCHEDULES);
  return items.map(({ sk: id, namespace, path }) => ({ id, namespace: String(namespace), path: String(path) }));
}

async function markerOf({ table }: Pick<Needs, 'table'>, id: string): Promise<Item | undefined> {
  const [item] = await table.get([keys.openSchedule(id)]);
  return item;
}

/** The state that a schedule follows: it is the same as long as the workflow is not changed. */
const stateOf = (opened: workflows.Opened | undefined): string =>
  opened === undefined ? '' : JSON.stringify([opened.node.updated, opened.node.live, opened.node.path]);

async function armAsStored(ports: Needs, open: OpenSchedule): Promise<string> {
  const opened = await openById(ports, open);
  if (opened === undefined) await ports.schedules.remove(open.id);
  else await arm(ports, opened, opened.revision.plan);
  return stateOf(opened);
}

/** Deletes a marker unless it was replaced by that of another change. Returns whether it did. */
async function deleteMarker({ table }: Needs, id: string, marker: Item): Promise<boolean> {
  const when = { equals: { change: String(marker['change']) } };
  try {
    await table.write([{ do: 'delete', key: keys.openSchedule(id), when }]);
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}

/**
 * Makes the schedule of a workflow follow the stored workflow, then deletes the marker of the change. Repeated until no
 * other change came in between. Idempotent.
 */
export async function followChange(ports: Needs, open: OpenSchedule): Promise<void> {
  for (;;) {
    const marker = await markerOf(ports, open.id);
    const armed = await armAsStored(ports, open);
    if (marker === undefined && armed === stateOf(await openById(ports, open))) return;
    if (marker !== undefined && (await deleteMarker(ports, open.id, marker))) return;
  }
}

const addressOf = ({ namespace, node }: workflows.Opened): OpenSchedule => ({
  id: node.id,
  namespace: namespace.name,
  path: node.path,
});

/** As `followChange`, for a workflow that was just changed from `before`. Does nothing when neither is scheduled. */
export async function followChangeOf(ports: Needs, after: workflows.Opened, before?: workflows.Opened): Promise<void> {
  if (workflows.isScheduled(after) || (before !== undefined && workflows.isScheduled(before))) {
    await followChange(ports, addressOf(after));
  }
}

/** Completes a change of the workflow's schedule that was interrupted, if there is one. */
export async function completeChange(ports: Needs, opened: workflows.Opened): Promise<void> {
  if (workflows.isScheduled(opened) && (await markerOf(ports, opened.node.id)) !== undefined) {
    await followChange(ports, addressOf(opened));
  }
}
