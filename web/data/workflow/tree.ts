import type { Node } from '../../../clients/api/operations.ts';
import { call } from '../api/client.ts';
import { textOfBase64 } from '../format/text.ts';
import { loadYaml } from './reading.ts';

/** Further workflows are not searched. */
const MOST_WORKFLOWS = 300;

/** Directories before workflows, each by name. */
export const inOrder = (nodes: readonly Node[]): readonly Node[] =>
  nodes.toSorted((a, b) => (a.type === b.type ? a.name.localeCompare(b.name) : a.type === 'directory' ? -1 : 1));

/** The nodes in a directory. Throws ApiError. */
async function childrenOf(namespace: string, node: string): Promise<readonly Node[]> {
  const found: Node[] = [];
  for (let hasMore = true; hasMore; ) {
    const reply = await call('getNode', { namespace, node }, { query: { offset: found.length } });
    if (!('children' in reply)) break;
    found.push(...reply.children.results);
    hasMore = reply.children.pageInfo.hasNextPage && reply.children.results.length > 0;
  }
  return found;
}

/** Every workflow below a directory, at most a few hundred. */
async function workflowsBelow(namespace: string, root: string): Promise<readonly Node[]> {
  const found: Node[] = [];
  const open = [root];
  for (let next = open.pop(); next !== undefined && found.length < MOST_WORKFLOWS; next = open.pop()) {
    for (const child of await childrenOf(namespace, next)) {
      if (child.type === 'directory') open.push(child.path);
      else found.push(child);
    }
  }
  return found;
}

/** The source of a workflow. Throws ApiError. */
export async function sourceOf(namespace: string, node: string, ref?: string): Promise<string> {
  const reply = await call('getNode', { namespace, node }, ref === undefined ? {} : { query: { ref } });
  return 'revision' in reply ? textOfBase64(reply.revision.source) : '';
}

interface SubflowOf {
  readonly id: string;
  readonly path: string;
}

/** Resolves a path in the workflow `from`: relative to its directory, or to the root with a leading slash. */
function resolved(from: string, path: string): string {
  const base = path.startsWith('/') ? [] : from.split('/').slice(0, -1);
  const parts: string[] = [];
  for (const part of [...base, ...path.split('/')]) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function subflowsIn(from: string, document: unknown): readonly SubflowOf[] {
  const { functions: listed } = (document ?? {}) as { readonly functions?: readonly Record<string, unknown>[] };
  const functions = Array.isArray(listed) ? listed : [];
  return functions.flatMap(({ type, workflow, id }) =>
    type === 'subflow' && typeof workflow === 'string' ? [{ id: String(id), path: resolved(from, workflow) }] : [],
  );
}

/** A workflow that calls another one. */
export interface Caller {
  readonly workflow: string;
  readonly function: string;
  readonly target: string;
}

/** The workflows outside of a node that call it or a workflow below it. */
export async function callersOf(namespace: string, node: Pick<Node, 'path'>): Promise<readonly Caller[]> {
  const isInside = (path: string): boolean => path === node.path || path.startsWith(`${node.path}/`);
  const { documentOf } = await loadYaml();
  const others = (await workflowsBelow(namespace, '/')).filter(({ path }) => !isInside(path));
  const found = await Promise.all(
    others.map(async ({ path }) => {
      const subflows = subflowsIn(path, documentOf(await sourceOf(namespace, path)));
      const hits = subflows.filter((subflow) => isInside(subflow.path));
      return hits.map((subflow) => ({ workflow: path, function: subflow.id, target: subflow.path }));
    }),
  );
  return found.flat();
}
