import { ServiceError } from '../../domain/errors.ts';
import { pathOf, segmentsOf } from '../../domain/names.ts';
import * as deletions from '../../domain/namespaces/deletions.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import { underwayAt } from '../../domain/purging/underway.ts';
import { findKept } from '../../domain/tree/kept-sources.ts';
import * as nodes from '../../domain/tree/nodes.ts';
import type { EnginePorts } from '../ports.ts';
import { createDirectory, createWorkflow } from './publishing.ts';

/** The most workflows of one call: each defines a machine. */
const MAX_AT_ONCE = 50;

/** What a call restored of a directory, by paths. */
export interface Restoration {
  readonly restored: readonly string[];
  readonly failed: readonly { readonly path: string; readonly message: string }[];
  /** The path with which the next call continues; absent if all were tried. */
  readonly next?: string;
}

/** Creates the directories above a path that do not exist. */
async function createParents(ports: EnginePorts, namespace: string, path: string): Promise<void> {
  const segments = segmentsOf(path).slice(0, -1);
  for (const depth of segments.keys()) {
    const directory = pathOf(segments.slice(0, depth + 1));
    await createDirectory(ports, namespace, directory).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'exists') throw error;
    });
  }
}

/** Throws `not-found` if the source is not kept, and what the creation of a workflow throws. */
async function restoreOne(ports: EnginePorts, { id, name }: Namespace, deletion: deletions.Deletion): Promise<void> {
  const { path, latest, live, logger, attributes } = deletion;
  const kept = await findKept(ports, id, latest);
  if (kept === undefined) {
    const others = "other deletions at this path are in the list, and 'ref' names one by its revision";
    throw new ServiceError('not-found', `the source of '${path}' is not kept, because it was too large; ${others}`);
  }
  await createParents(ports, name, path);
  const { source } = kept.revision;
  await createWorkflow(ports, { namespace: name, path, source, live, logger, attributes });
  await ports.table.write([deletions.toRemoval(id, deletion)]);
}

/** What is restored: the newest deletion at a path, or the one of the revision `ref`, after the place `after`. */
export interface Wanted {
  readonly place: string;
  /** The latest revision of a deleted workflow; empty: the newest deletion. */
  readonly ref: string;
  /** The `next` of the call before: the group of the deletion and the last path. */
  readonly after: string;
}

/** What is known of the deletions at a path: those that were chosen, whether by name, and the purges under way. */
interface Choice {
  readonly path: string;
  readonly found: readonly deletions.Deletion[];
  readonly isNamed: boolean;
  readonly underway: ReadonlySet<string>;
}

/**
 * Whether the deletions are all that was chosen: no purge under way may find a newer one at the path, or further workflows of
 * their directory, and the source of a single workflow is kept from the beginning of its purge on.
 */
async function isComplete(ports: EnginePorts, { id }: Namespace, { path, found, isNamed, underway }: Choice) {
  const [first] = found;
  if (first === undefined) return underway.size === 0;
  if ([...underway].some((marker) => marker !== first.group) && !isNamed) return false;
  if (!underway.has(first.group)) return true;
  return first.path === path && (await findKept(ports, id, first.latest)) !== undefined;
}

const underwayError = (path: string): ServiceError =>
  new ServiceError(
    'conflict',
    `the deletion of '${path}' is still under way; restore it in a minute. If that stays so, the log of the service has ` +
      "the reason; a workflow in the list of deletions can be restored meanwhile, by its path and its revision as 'ref'",
    {},
    60,
  );

/**
 * Creates the workflow again that was deleted at a path, or the workflows of the directory, with their directories. Each
 * has its latest source, its attributes, its logger, and is enabled as it was; quotas count it as a new one. A workflow of a
 * directory that cannot be restored is `failed`. Throws `not-found` if nothing can be restored there, and for a single
 * workflow what its creation throws. Throws `conflict` while a deletion is under way with which only a part could be undone.
 */
export async function restoreNode(
  ports: EnginePorts,
  namespaceName: string,
  { place, ref, after }: Wanted,
): Promise<Restoration> {
  const { namespace } = await nodes.need(ports, namespaceName, '/');
  const path = pathOf(segmentsOf(place));
  const [group = '', ...last] = after.split(' ');
  // First: a purge that ends meanwhile has then written all deletions.
  const underway = await underwayAt(ports, namespace.id, path);
  const found = path === '/' ? [] : await deletions.find(ports, namespace.id, path, { group, latest: ref });
  const isNamed = ref !== '' || group !== '';
  if (!(await isComplete(ports, namespace, { path, found, isNamed, underway }))) throw underwayError(path);
  const [first] = found;
  if (first === undefined) throw new ServiceError('not-found', `nothing that was deleted at '${path}' can be restored`);
  const open = found.filter((one) => one.path > last.join(' '));
  const restored: string[] = [];
  const failed: { path: string; message: string }[] = [];
  for (const deletion of open.slice(0, MAX_AT_ONCE)) {
    try {
      await restoreOne(ports, namespace, deletion);
      restored.push(deletion.path);
    } catch (error) {
      if (!(error instanceof ServiceError) || first.path === path) throw error;
      failed.push({ path: deletion.path, message: error.message });
    }
  }
  const end = open[MAX_AT_ONCE - 1];
  const next = open.length > MAX_AT_ONCE && end !== undefined ? { next: `${end.group} ${end.path}` } : {};
  return { restored, failed, ...next };
}
