import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Key, Table } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound, ServiceError } from '../errors.ts';
import { isNamespaceName, isNodeName, pathOf, segmentsOf } from '../names.ts';
import { type Namespace, fromItem as namespaceFromItem } from '../namespaces/namespaces.ts';
import type { TreeCounts } from '../namespaces/tree-counts.ts';
import { getAll } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';

/** A directory or a workflow in the tree of a namespace. */
export interface Node {
  readonly id: string;
  readonly type: 'directory' | 'workflow';
  readonly name: string;
  readonly path: string;
  readonly created: number;
  readonly updated: number;
  readonly attributes: readonly string[];
  /** The id of the parent directory; empty for the root. */
  readonly directory: string;
}

/** The weight of a ref among the starts that give none. */
export interface Route {
  readonly ref: string;
  readonly weight: number;
}

export interface WorkflowNode extends Node {
  readonly type: 'workflow';
  readonly live: boolean;
  /** The logger of workflow event logging; empty: none. */
  readonly logger: string;
  /** The id of the latest revision. */
  readonly latest: string;
  /** The weights for starts without a ref, the heaviest first; empty: all take `latest`. */
  readonly routes: readonly Route[];
  /** How it is started, as its namespace counts it. */
  readonly starts: Starts;
}

/** How many schedules and event filters start a workflow. */
export type Starts = Omit<TreeCounts, 'workflows'>;

export interface NodeRecord {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly name: string;
  readonly path: string;
  readonly parent: string;
  readonly type: Node['type'];
  readonly attributes: readonly string[];
  readonly oid: string;
  readonly readOnly: boolean;
  readonly expandedType: Node['type'];
  readonly mimeType: string;
}

/** A node that was found at a path, with its namespace. */
export interface ResolvedNode<N extends Node = Node> {
  readonly namespace: Namespace;
  readonly node: N;
}

/** Whether the node is a workflow. */
export function isWorkflow(node: Node): node is WorkflowNode {
  return node.type === 'workflow';
}

/** When a workflow is changed: each change has a time of its own, because the next one is made on the condition of it. */
export const changeTime = ({ clock }: Pick<Ports, 'clock'>, { updated }: WorkflowNode): number =>
  Math.max(clock.now(), updated + 1);

/** How the workflow of an item is started. */
export const startsIn = (item: Item): Starts => ({
  schedules: Number(item['schedules'] ?? 0),
  ticks: Number(item['ticks'] ?? 0),
  listeners: Number(item['listeners'] ?? 0),
});

/** The node of an item; `parent` is the path of its directory. */
export function fromItem(item: Item, parent: string): Node {
  const base = {
    id: String(item['id']),
    name: item.sk,
    path: `${parent === '/' ? '' : parent}/${item.sk}`,
    created: Number(item['created']),
    updated: Number(item['updated']),
    attributes: parseJson(String(item['attributes'] ?? '[]')) as string[],
    directory: keys.directoryIdIn(item.pk),
  };
  if (item['type'] === 'directory') return { ...base, type: 'directory' };
  const workflow: WorkflowNode = {
    ...base,
    type: 'workflow',
    live: item['live'] === true,
    logger: String(item['logger'] ?? ''),
    latest: String(item['latest']),
    routes: parseJson(String(item['routes'] ?? '[]')) as Route[],
    starts: startsIn(item),
  };
  return workflow;
}

/** The root directory, which is stored in the item of the namespace. */
export function rootOf(namespace: Namespace): Node {
  const { id, created, treeUpdated } = namespace;
  return {
    id,
    type: 'directory',
    name: '',
    path: '/',
    created,
    updated: treeUpdated,
    attributes: namespace.attributes,
    directory: '',
  };
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/**
 * The wire form (rest-api reference, 5.1). The parent has a trailing slash in the record of the requested node, and none
 * in the record of a child in a list or of a node that was renamed. `oid` is empty: only the reply of a workflow has an id.
 */
export function toRecord(node: Node, shownAs: 'itself' | 'child' | 'renamed'): NodeRecord {
  const parent = parentOf(node.path);
  return {
    createdAt: toTimestamp(node.created),
    updatedAt: toTimestamp(node.updated),
    name: node.name,
    path: node.path,
    parent: shownAs === 'itself' ? `${parent}/` : parent || '/',
    type: node.type,
    attributes: node.attributes,
    oid: '',
    readOnly: false,
    expandedType: node.type,
    mimeType: node.type === 'workflow' ? 'application/direktiv' : '',
  };
}

/**
 * A cache of directory ids, by namespace name and path, with which one call reads all nodes of a path. The ids are checked
 * against the nodes that were read: a stale entry costs a second call, and never gives a wrong result.
 */
const cache = new Map<string, string>();
const MAX_CACHED = 10_000;

function remember(address: string, id: string): void {
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(address, id);
}

function keysAlong(namespace: string, segments: readonly string[], ids: readonly string[]): Key[] {
  const reachable = segments.slice(0, ids.length).map((name, index) => keys.node(ids[index] ?? '', name));
  return [keys.namespace(namespace), ...reachable];
}

function cachedIds(namespace: string, segments: readonly string[]): string[] {
  const ids: string[] = [];
  for (let depth = 0; depth < Math.max(segments.length, 1); depth++) {
    const id = cache.get(`${namespace}${pathOf(segments.slice(0, depth))}`);
    if (id === undefined) break;
    ids.push(id);
  }
  return ids;
}

interface Walk {
  readonly namespace: Namespace;
  readonly node: Node;
  /** How many segments were followed; the next ones need another read, with the id of this node. */
  readonly depth: number;
}

const missingAt = (segments: readonly string[], depth: number): ServiceError =>
  new ServiceError('not-found', `inode not found at '${pathOf(segments.slice(0, depth + 1))}'`);

function walk(items: readonly (Item | undefined)[], segments: readonly string[], ids: readonly string[]): Walk {
  const [first, ...entries] = items;
  if (first === undefined) throw notFound('namespace');
  const namespace = namespaceFromItem(first);
  let node: Node = rootOf(namespace);
  let depth = 0;
  while (depth < segments.length) {
    remember(`${namespace.name}${node.path}`, node.id);
    if (ids[depth] !== node.id) return { namespace, node, depth };
    const item = entries[depth];
    if (item === undefined || node.type !== 'directory') throw missingAt(segments, depth);
    node = fromItem(item, node.path);
    depth += 1;
  }
  return { namespace, node, depth };
}

/**
 * Finds the node at a path, in one call to the database when the ids of its directories are cached.
 * Throws `not-found`, whose message names the namespace, or the first part of the path that does not exist.
 */
export async function need({ table }: Pick<Ports, 'table'>, namespace: string, path: string): Promise<ResolvedNode> {
  const segments = segmentsOf(path);
  if (!isNamespaceName(namespace)) throw notFound('namespace');
  const odd = segments.findIndex((segment) => !isNodeName(segment));
  const found = await find(table, namespace, odd < 0 ? segments : segments.slice(0, odd));
  if (odd >= 0) throw missingAt(segments, odd);
  return found;
}

async function find(table: Table, namespace: string, segments: readonly string[]): Promise<ResolvedNode> {
  let ids = cachedIds(namespace, segments);
  for (;;) {
    const found = walk(await getAll(table, keysAlong(namespace, segments, ids)), segments, ids);
    if (found.depth === segments.length) return found;
    ids = [...ids.slice(0, found.depth), found.node.id];
  }
}

/** As `need`, for a workflow. Throws `refused` for a directory. */
export async function needWorkflow(
  ports: Pick<Ports, 'table'>,
  namespace: string,
  path: string,
): Promise<ResolvedNode<WorkflowNode>> {
  const found = await need(ports, namespace, path);
  if (!isWorkflow(found.node)) throw new ServiceError('refused', 'not a workflow');
  return { namespace: found.namespace, node: found.node };
}
