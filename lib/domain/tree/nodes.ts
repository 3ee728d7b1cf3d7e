import type { Item, Key, Table } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound, ServiceError } from '../errors.ts';
import { isNamespaceName, isNodeName, pathOf, segmentsOf } from '../names.ts';
import { type Namespace, fromItem as namespaceFromItem } from '../namespaces/namespaces.ts';
import * as keys from '../storage/keys.ts';

export interface Node {
  readonly id: string;
  readonly type: 'directory' | 'workflow';
  readonly name: string;
  readonly path: string;
  readonly created: number;
  readonly updated: number;
  readonly attributes: readonly string[];
  /** The id of the directory that holds it; the root is held by none. */
  readonly directory: string;
}

/** A revision's share of the starts that name none. */
export interface Route {
  readonly ref: string;
  readonly weight: number;
}

export interface WorkflowNode extends Node {
  readonly type: 'workflow';
  readonly live: boolean;
  /** The logger of workflow event logging; empty when it is off. */
  readonly logger: string;
  /** The revision that `latest` names. */
  readonly latest: string;
  /** How starts that name no revision are divided, the heaviest first; empty: all go to `latest`. */
  readonly routes: readonly Route[];
}

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

/** A path found in the tree. */
export interface Place<N extends Node = Node> {
  readonly namespace: Namespace;
  readonly node: N;
}

export function isWorkflow(node: Node): node is WorkflowNode {
  return node.type === 'workflow';
}

export function fromItem(item: Item, parent: string): Node {
  const base = {
    id: String(item['id']),
    name: item.sk,
    path: `${parent === '/' ? '' : parent}/${item.sk}`,
    created: Number(item['created']),
    updated: Number(item['updated']),
    attributes: JSON.parse(String(item['attributes'] ?? '[]')) as string[],
    directory: item.pk.slice(keys.directory('').length),
  };
  if (item['type'] === 'directory') return { ...base, type: 'directory' };
  const workflow: WorkflowNode = {
    ...base,
    type: 'workflow',
    live: item['live'] === true,
    logger: String(item['logger'] ?? ''),
    latest: String(item['latest']),
    routes: JSON.parse(String(item['routes'] ?? '[]')) as Route[],
  };
  return workflow;
}

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
 * The wire form (rest-api reference, 5.1). The addressed node shows its parent with a trailing slash, a child in a
 * listing without.
 */
export function toRecord(node: Node, shownAs: 'itself' | 'child'): NodeRecord {
  const parent = parentOf(node.path);
  return {
    createdAt: toTimestamp(node.created),
    updatedAt: toTimestamp(node.updated),
    name: node.name,
    path: node.path,
    parent: shownAs === 'itself' ? `${parent}/` : parent || '/',
    type: node.type,
    attributes: node.attributes,
    oid: node.id,
    readOnly: false,
    expandedType: node.type,
    mimeType: node.type === 'workflow' ? 'application/direktiv' : '',
  };
}

/**
 * Directory ids seen before, by namespace name and path. They are hints that let one call read a whole path; what is
 * read is checked against them, so a stale hint costs a second call and never a wrong answer.
 */
const hints = new Map<string, string>();
const MOST_HINTS = 10_000;

function remember(place: string, id: string): void {
  if (hints.size >= MOST_HINTS) hints.clear();
  hints.set(place, id);
}

function keysAlong(namespace: string, segments: readonly string[], ids: readonly string[]): Key[] {
  const reachable = segments.slice(0, ids.length).map((name, index) => keys.node(ids[index] ?? '', name));
  return [keys.namespace(namespace), ...reachable];
}

function hintedIds(namespace: string, segments: readonly string[]): string[] {
  const ids: string[] = [];
  for (let depth = 0; depth < Math.max(segments.length, 1); depth++) {
    const id = hints.get(`${namespace}${pathOf(segments.slice(0, depth))}`);
    if (id === undefined) break;
    ids.push(id);
  }
  return ids;
}

interface Walk {
  readonly namespace: Namespace;
  readonly node: Node;
  /** How many segments are proven; the rest must be read with the ids learned. */
  readonly depth: number;
}

const missingAt = (segments: readonly string[], depth: number): ServiceError =>
  new ServiceError('not-found', `inode not found at '${pathOf(segments.slice(0, depth + 1))}'`);

/** A path may be longer than one call may ask for. */
const MOST_KEYS = 100;

async function read(table: Table, all: readonly Key[]): Promise<(Item | undefined)[]> {
  const parts = Array.from({ length: Math.ceil(all.length / MOST_KEYS) }, (_, index) =>
    table.get(all.slice(index * MOST_KEYS, (index + 1) * MOST_KEYS)),
  );
  return (await Promise.all(parts)).flat();
}

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
 * Finds the node at a path, in one call to the database when the way there is known.
 * Throws `not-found` naming the namespace or the first part of the path that is missing.
 */
export async function need({ table }: { readonly table: Table }, namespace: string, path: string): Promise<Place> {
  const segments = segmentsOf(path);
  if (!isNamespaceName(namespace)) throw notFound('namespace');
  const odd = segments.findIndex((segment) => !isNodeName(segment));
  const place = await find(table, namespace, odd < 0 ? segments : segments.slice(0, odd));
  if (odd >= 0) throw missingAt(segments, odd);
  return place;
}

async function find(table: Table, namespace: string, segments: readonly string[]): Promise<Place> {
  let ids = hintedIds(namespace, segments);
  for (;;) {
    const found = walk(await read(table, keysAlong(namespace, segments, ids)), segments, ids);
    if (found.depth === segments.length) return found;
    ids = [...ids.slice(0, found.depth), found.node.id];
  }
}

/** As `need`, for a workflow. Throws `refused` for a directory. */
export async function needWorkflow(
  ports: { readonly table: Table },
  namespace: string,
  path: string,
): Promise<Place<WorkflowNode>> {
  const place = await need(ports, namespace, path);
  if (!isWorkflow(place.node)) throw new ServiceError('refused', 'not a workflow');
  return { namespace: place.namespace, node: place.node };
}
