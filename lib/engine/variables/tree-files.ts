import { ServiceError } from '../../domain/errors.ts';
import type { Run } from '../../domain/runs/runs.ts';
import * as nodes from '../../domain/tree/nodes.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { failure } from '../evaluation/failures.ts';
import type { EnginePorts } from '../ports.ts';

/**
 * Resolves a path that a workflow names, from the root or from the workflow's own directory (workflow-language reference,
 * section 9). The result never leaves the root.
 */
export function resolvePath(workflow: string, named: string): string {
  const base = named.startsWith('/') ? [] : workflow.split('/').slice(0, -1);
  const segments: string[] = [];
  for (const segment of [...base, ...named.split('/')]) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

type Reader = Pick<Run, 'namespace' | 'namespaceId'>;

/** Undefined for a node or revision that does not exist, or was deleted in the meantime. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'not-found') return undefined;
    throw error;
  });
}

/**
 * The bytes at a path of the namespace's tree, from its root: the source of the latest revision of a workflow;
 * undefined where no node is (workflow-language reference, 10.9 and 12: the scope `file`). `shown` is how an error
 * names the file. Throws `var.invalidKey` for a directory.
 */
export async function find(
  ports: EnginePorts,
  { namespace, namespaceId }: Reader,
  key: string,
  shown = `'${key}'`,
): Promise<Uint8Array | undefined> {
  const place = await unlessMissing(nodes.need(ports, namespace, resolvePath('/', key)));
  // A namespace may have been deleted and created again under the same name.
  if (place === undefined || place.namespace.id !== namespaceId) return undefined;
  const { node } = place;
  if (!nodes.isWorkflow(node)) throw failure('var.invalidKey', `${shown} is a directory of the tree, and not a file`);
  const revision = await unlessMissing(revisions.need(ports, node.id, node.latest));
  return revision && Buffer.from(revision.source);
}
