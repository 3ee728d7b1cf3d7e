import type { Ports } from '../../ports/ports.ts';
import type { ConflictError, Table, Write } from '../../ports/table.ts';
import { alreadyExists, changedMeanwhile, ServiceError } from '../errors.ts';
import { needNodeName, pathOf, segmentsOf } from '../names.ts';
import * as deletions from '../namespaces/deletions.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { countingWrites, type TreeCounts } from '../namespaces/tree-counts.ts';
import { throwOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { type List, paginate } from '../storage/lists.ts';
import * as purges from '../storage/purges.ts';
import { readAll } from '../storage/queries.ts';
import * as nodes from './nodes.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

async function childrenOf(table: Table, { id, path }: nodes.Node): Promise<nodes.Node[]> {
  return (await readAll(table, keys.directory(id))).map((item) => nodes.fromItem(item, path));
}

/** The children of a directory, workflows before directories, then by name (rest-api reference, 2.3). */
export async function list(
  { table }: Pick<Ports, 'table'>,
  directory: nodes.Node,
  request: ListRequest,
): Promise<List<nodes.NodeRecord>> {
  const children = (await childrenOf(table, directory)).map((node) => nodes.toRecord(node, 'child'));
  return paginate(children, request, {
    orders: {
      NAME: (row) => row.name,
      TYPE: (row) => row.type,
      CREATED: (row) => row.createdAt,
      UPDATED: (row) => row.updatedAt,
    },
    defaults: [
      { field: 'TYPE', direction: 'DESC' },
      { field: 'NAME', direction: 'ASC' },
    ],
    filters: { 'NAME/CONTAINS': (row, value) => row.name.includes(value) },
    idOf: (row) => row.path,
  });
}

/**
 * The writes that mark a directory as changed, and count what is new in the namespace. The first one fails when the directory
 * was deleted, which must get no new nodes.
 */
export function touch(
  namespace: Namespace,
  directory: nodes.Node,
  now: number,
  counts: Partial<TreeCounts> = {},
): Write[] {
  const when = { equals: { id: directory.id } };
  const counting = countingWrites(namespace, counts);
  if (directory.id !== namespace.id) {
    const key = keys.node(directory.directory, directory.name);
    return [{ do: 'update', key, set: { updated: now }, when }, ...counting];
  }
  const mark: Write = { do: 'update', key: keys.namespace(namespace.name), set: { treeUpdated: now }, when };
  return [{ ...mark, ...counting[0] }];
}

/** The place of a new node: its directory, which exists, and its name, which is valid. */
export interface NodeSite {
  readonly namespace: Namespace;
  readonly directory: nodes.Node;
  readonly name: string;
  readonly path: string;
}

/** The errors of a creation that depend on the kind of node. */
export interface SiteErrors {
  /** The parent is a workflow. */
  readonly notDirectory: () => ServiceError;
  /** The path is the root; default: it exists. */
  readonly atRoot?: () => ServiceError;
}

/**
 * Resolves the path of a node that does not exist yet. Throws `not-found` for a missing parent, `invalid` for an invalid
 * name, and the errors of the caller when the path is the root or the parent is a workflow.
 */
export async function needSite(
  ports: Pick<Ports, 'table'>,
  namespace: string,
  path: string,
  { notDirectory, atRoot = alreadyExists }: SiteErrors,
): Promise<NodeSite> {
  const segments = segmentsOf(path);
  const name = segments.at(-1);
  const parent = await nodes.need(ports, namespace, pathOf(segments.slice(0, -1)));
  if (name === undefined) throw atRoot();
  if (parent.node.type !== 'directory') throw notDirectory();
  needNodeName(name);
  return { namespace: parent.namespace, directory: parent.node, name, path: pathOf(segments) };
}

/** The error of a creation that failed: write 0 stores the new node, write 1 touches its directory. */
export const creationError =
  ({ directory }: NodeSite) =>
  ({ failed }: ConflictError): ServiceError =>
    failed.includes(0) ? alreadyExists() : new ServiceError('not-found', `inode not found at '${directory.path}'`);

const NODE_ERRORS: SiteErrors = {
  notDirectory: () => new ServiceError('exists', 'parent node is not a directory'),
};

/** Creates an empty directory; its parent must exist (no mkdir -p). Throws `exists`, `not-found`, `invalid`. */
export async function createDirectory(ports: Needs, namespace: string, path: string): Promise<nodes.ResolvedNode> {
  const site = await needSite(ports, namespace, path, NODE_ERRORS);
  const now = ports.clock.now();
  const { pk, sk } = keys.node(site.directory.id, site.name);
  const item = { pk, sk, id: ports.clock.uuid(), type: 'directory', created: now, updated: now };
  const put: Write = { do: 'put', table: 'catalog', item, when: { absent: true } };
  const written = ports.table.write([put, ...touch(site.namespace, site.directory, now)]);
  await throwOnConflict(written, creationError(site));
  return { namespace: site.namespace, node: nodes.fromItem(item, site.directory.path) };
}

/**
 * Deletes a node: it is out of reach at once, and the returned purge removes its contents.
 * Throws `not-found`, and `invalid` for the root and for a directory that is not empty unless `recursive`.
 */
export async function remove(
  ports: Needs & Pick<Ports, 'blobs'>,
  namespace: string,
  path: string,
  recursive: boolean,
): Promise<nodes.ResolvedNode & { readonly purge: purges.Purge }> {
  const found = await nodes.need(ports, namespace, path);
  const { id, type, updated, directory, name, path: shown } = found.node;
  if (shown === '/') throw new ServiceError('invalid', 'cannot delete root node');
  if (type === 'directory' && !recursive) await needEmpty(ports, found.node);
  const { id: namespaceId, name: namespaceName } = found.namespace;
  const purge = purges.of(ports, { kind: type, id, namespaceId, namespaceName, path: shown });
  // A workflow that changes meanwhile may start by others, which are counted.
  const equals = recursive && type === 'directory' ? { id } : { id, updated };
  const deletion: Write = { do: 'delete', key: keys.node(directory, name), when: { equals } };
  const counting = nodes.isWorkflow(found.node) ? uncounting(found.namespace, found.node.starts) : [];
  const group = purge.marker;
  const kept = nodes.isWorkflow(found.node)
    ? [deletions.toWrite(namespaceId, group, ports.clock.now(), found.node)]
    : [];
  const written = ports.table.write([deletion, purges.toWrite(purge), ...counting, ...kept]);
  await throwOnConflict(written, () => changedMeanwhile(`'${shown}'`));
  return { ...found, purge };
}

/** The writes that count one workflow less. */
export const uncounting = (
  namespace: Pick<Namespace, 'id' | 'name'>,
  { schedules, ticks, listeners }: nodes.Starts,
): Write[] => countingWrites(namespace, { workflows: -1, schedules: -schedules, ticks: -ticks, listeners: -listeners });

async function needEmpty({ table }: Pick<Ports, 'table'>, directory: nodes.Node): Promise<void> {
  const { items } = await table.query({ ...keys.directory(directory.id), limit: 1 });
  if (items.length === 0) return;
  throw new ServiceError('invalid', 'refusing to delete non-empty directory without explicit recursive argument');
}

/** Throws `refused` for a target that `rename` does not allow (rest-api reference, A.4). */
function needMovable(node: nodes.Node, target: string): void {
  if (node.path === '/') throw new ServiceError('refused', 'cannot rename root node');
  if (target === '/') throw new ServiceError('refused', 'cannot overwrite root node');
  if (`${target}/`.startsWith(`${node.path}/`) && target !== node.path) {
    throw new ServiceError('refused', 'cannot move node into itself');
  }
}

/** Renames or moves a node with all nodes below it, in one transaction. */
export async function rename(
  ports: Needs,
  namespace: string,
  path: string,
  target: string,
): Promise<nodes.ResolvedNode> {
  const { node } = await nodes.need(ports, namespace, path);
  needMovable(node, pathOf(segmentsOf(target)));
  if (pathOf(segmentsOf(target)) === node.path) throw alreadyExists();
  const site = await needSite(ports, namespace, target, NODE_ERRORS);
  const key = keys.node(node.directory, node.name);
  const [item] = await ports.table.get([key]);
  if (item === undefined) throw new ServiceError('not-found', `inode not found at '${node.path}'`);
  const now = ports.clock.now();
  const { pk, sk } = keys.node(site.directory.id, site.name);
  const moved = { ...item, pk, sk, updated: now };
  const written = ports.table.write([
    { do: 'put', table: 'catalog', item: moved, when: { absent: true } },
    ...touch(site.namespace, site.directory, now),
    // The copy of a workflow has its revision and how it starts, which may change meanwhile.
    {
      do: 'delete',
      key,
      when: { equals: nodes.isWorkflow(node) ? { id: node.id, updated: Number(item['updated']) } : { id: node.id } },
    },
  ]);
  await throwOnConflict(written, (conflict) =>
    conflict.failed.some((index) => index > 1) ? changedMeanwhile(`'${node.path}'`) : creationError(site)(conflict),
  );
  return { namespace: site.namespace, node: nodes.fromItem(moved, site.directory.path) };
}

/** Returns the path of the workflow with this id, which was moved; undefined when it was deleted. */
export async function findById(
  { table }: Pick<Ports, 'table'>,
  namespaceName: string,
  id: string,
): Promise<string | undefined> {
  const root = await nodes.need({ table }, namespaceName, '/');
  const open = [root.node];
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    const children = await childrenOf(table, directory);
    const found = children.find((child) => child.id === id);
    if (found !== undefined) return found.path;
    open.push(...children.filter(({ type }) => type === 'directory'));
  }
  return undefined;
}
