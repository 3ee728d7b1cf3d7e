import { ServiceError } from '../../domain/errors.ts';
import { pathOf, segmentsOf } from '../../domain/names.ts';
import * as deletions from '../../domain/namespaces/deletions.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
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
    const reason = 'its deletion is under way, so try again in a minute; or it was too large';
    throw new ServiceError('not-found', `the source of '${path}' is not kept: ${reason}`);
  }
  await createParents(ports, name, path);
  const { source } = kept.revision;
  await createWorkflow(ports, { namespace: name, path, source, live, logger, attributes });
  await ports.table.write([deletions.toRemoval(id, deletion)]);
}

/**
 * Creates the workflow again that was deleted at a path last, or the workflows of the directory, with their directories. Each
 * has its latest source, its attributes, its logger, and is enabled as it was; quotas count it as a new one. A workflow of a
 * directory that cannot be restored is `failed`. Throws `not-found` if nothing can be restored there, and for a single
 * workflow what its creation throws.
 */
export async function restoreNode(
  ports: EnginePorts,
  namespaceName: string,
  place: string,
  after: string,
): Promise<Restoration> {
  const { namespace } = await nodes.need(ports, namespaceName, '/');
  const path = pathOf(segmentsOf(place));
  const found = path === '/' ? [] : await deletions.find(ports, namespace.id, path);
  const [first] = found;
  if (first === undefined) throw new ServiceError('not-found', `nothing that was deleted at '${path}' can be restored`);
  const open = found.filter((one) => one.path > after);
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
  const last = open[MAX_AT_ONCE - 1];
  return { restored, failed, ...(open.length > MAX_AT_ONCE && last !== undefined ? { next: last.path } : {}) };
}
