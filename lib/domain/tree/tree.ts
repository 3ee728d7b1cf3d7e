import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import { ConflictError, type Key, type Table, type Write } from '../../ports/table.ts';
import { alreadyExists, ServiceError } from '../errors.ts';
import { needNodeName, pathOf, segmentsOf } from '../names.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { readAll } from '../storage/items.ts';
import * as keys from '../storage/keys.ts';
import { type List, type ListRequest, paginate } from '../storage/pages.ts';
import * as purges from '../storage/purges.ts';
import * as nodes from './nodes.ts';

type Needs = { readonly table: Table; readonly clock: Clock };

/** The children of a directory, workflows before directories, then by name (rest-api reference, 2.3). */
export async function list(
  { table }: { table: Table },
  directory: nodes.Node,
  request: ListRequest,
): Promise<List<nodes.NodeRecord>> {
  const items = await readAll(table, keys.directory(directory.id));
  const children = items.map((item) => nodes.toRecord(nodes.fromItem(item, directory.path), 'child'));
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

/** A write that marks the directory as changed and fails when it is gone; it keeps children out of a dying directory. */
export function touch(namespace: Namespace, directory: nodes.Node, now: number): Write {
  const isRoot = directory.id === namespace.id;
  const key: Key = isRoot ? keys.namespace(namespace.name) : keys.node(directory.directory, directory.name);
  return {
    do: 'update',
    key,
    set: isRoot ? { treeUpdated: now } : { updated: now },
    when: { equals: { id: directory.id } },
  };
}

/** Where a new node is to be: its directory, found, and its name, valid. */
export interface Site {
  readonly namespace: Namespace;
  readonly directory: nodes.Node;
  readonly name: string;
  readonly path: string;
}

/**
 * Finds the directory of a node that does not exist yet. Throws `exists` for the root, `not-found` for a missing
 * parent, `invalid` for a bad name, and what `notDirectory` makes when the parent is a workflow.
 */
export async function needSite(
  ports: { table: Table },
  namespace: string,
  path: string,
  notDirectory: () => ServiceError,
): Promise<Site> {
  const segments = segmentsOf(path);
  const name = segments.at(-1);
  const parent = await nodes.need(ports, namespace, pathOf(segments.slice(0, -1)));
  if (name === undefined) throw alreadyExists();
  if (parent.node.type !== 'directory') throw notDirectory();
  needNodeName(name);
  return { namespace: parent.namespace, directory: parent.node, name, path: pathOf(segments) };
}

/** Turns the conflict of a creation into what it means: index 0 is the new node, index 1 its directory. */
export function toCreationError(error: unknown, site: Site): unknown {
  if (!(error instanceof ConflictError)) return error;
  if (error.failed.includes(0)) return alreadyExists();
  return new ServiceError('not-found', `inode not found at '${site.directory.path}'`);
}

/** Creates an empty directory; its parent must exist (no mkdir -p). Throws `exists`, `not-found`, `invalid`. */
export async function createDirectory(ports: Needs, namespace: string, path: string): Promise<nodes.Place> {
  const site = await needSite(ports, namespace, path, () => {
    return new ServiceError('exists', 'parent node is not a directory');
  });
  const now = ports.clock.now();
  const { pk, sk } = keys.node(site.directory.id, site.name);
  const item = { pk, sk, id: ports.clock.uuid(), type: 'directory', created: now, updated: now };
  await ports.table
    .write([{ do: 'put', table: 'catalog', item, when: { absent: true } }, touch(site.namespace, site.directory, now)])
    .catch((error: unknown) => {
      throw toCreationError(error, site);
    });
  return { namespace: site.namespace, node: nodes.fromItem(item, site.directory.path) };
}

/**
 * Deletes a node: out of reach at once, its contents are purged afterwards.
 * Throws `not-found`, and `invalid` for the root and for a directory that is not empty unless `recursive`.
 */
export async function remove(
  ports: Needs & { blobs: Blobs },
  namespace: string,
  path: string,
  recursive: boolean,
): Promise<nodes.Place & { readonly purge: purges.Purge }> {
  const place = await nodes.need(ports, namespace, path);
  const { node } = place;
  if (node.path === '/') throw new ServiceError('invalid', 'cannot delete root node');
  if (node.type === 'directory' && !recursive) await needEmpty(ports, node);
  const purge = purges.of(ports, { kind: node.type, id: node.id, namespaceId: place.namespace.id });
  await ports.table
    .write([
      {
        do: 'delete',
        key: keys.node(node.directory, node.name),
        when: { equals: { id: node.id, ...(recursive ? {} : { updated: node.updated }) } },
      },
      purges.toWrite(purge),
    ])
    .catch((error: unknown) => {
      if (!(error instanceof ConflictError)) throw error;
      throw new ServiceError('unavailable', `'${node.path}' was changed at this moment; try again`);
    });
  return { ...place, purge };
}

async function needEmpty({ table }: { table: Table }, directory: nodes.Node): Promise<void> {
  const { items } = await table.query({ table: 'catalog', pk: keys.directory(directory.id), limit: 1 });
  if (items.length === 0) return;
  throw new ServiceError('invalid', 'refusing to delete non-empty directory without explicit recursive argument');
}

/** Where `rename` may not go (rest-api reference, A.4). */
function needMovable(node: nodes.Node, target: string): void {
  if (node.path === '/') throw new ServiceError('refused', 'cannot rename root node');
  if (target === '/') throw new ServiceError('refused', 'cannot overwrite root node');
  if (`${target}/`.startsWith(`${node.path}/`) && target !== node.path) {
    throw new ServiceError('refused', 'cannot move node into itself');
  }
}

/** Renames or moves a node with all below it, in one transaction. */
export async function rename(ports: Needs, namespace: string, path: string, target: string): Promise<nodes.Place> {
  const { node } = await nodes.need(ports, namespace, path);
  needMovable(node, pathOf(segmentsOf(target)));
  const site = await needSite(ports, namespace, target, () => {
    return new ServiceError('exists', 'parent node is not a directory');
  });
  const [item] = await ports.table.get([keys.node(node.directory, node.name)]);
  if (item === undefined) throw new ServiceError('not-found', `inode not found at '${node.path}'`);
  const now = ports.clock.now();
  const { pk, sk } = keys.node(site.directory.id, site.name);
  const moved = { ...item, pk, sk, updated: now };
  await ports.table
    .write([
      { do: 'put', table: 'catalog', item: moved, when: { absent: true } },
      touch(site.namespace, site.directory, now),
      { do: 'delete', key: keys.node(node.directory, node.name), when: { equals: { id: node.id } } },
    ])
    .catch((error: unknown) => {
      throw toCreationError(error, site);
    });
  return { namespace: site.namespace, node: nodes.fromItem(moved, site.directory.path) };
}

/** The path of a workflow, found by its id; it was moved, or is gone. */
export async function findById(
  { table }: { table: Table },
  namespaceName: string,
  id: string,
): Promise<string | undefined> {
  const root = await nodes.need({ table }, namespaceName, '/');
  const open = [root.node];
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    const { path } = directory;
    const children = (await readAll(table, keys.directory(directory.id))).map((item) => nodes.fromItem(item, path));
    const found = children.find((child) => child.id === id);
    if (found !== undefined) return found.path;
    open.push(...children.filter(({ type }) => type === 'directory'));
  }
  return undefined;
}
