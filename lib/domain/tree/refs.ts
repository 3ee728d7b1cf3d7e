import type { Clock } from '../../ports/clock.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Condition, Item, Write } from '../../ports/table.ts';
import { alreadyExists, changedMeanwhile, invalidField, notFound, ServiceError } from '../errors.ts';
import { isRefName } from '../names.ts';
import { putAt } from '../storage/batches.ts';
import { onConflict, throwOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { type List, paginate } from '../storage/lists.ts';
import { readAll } from '../storage/queries.ts';
import type { WorkflowNode } from './nodes.ts';

/** A name of a revision: its own id, which makes it a saved revision, or a tag. */
export interface Ref {
  readonly name: string;
  readonly revision: string;
  readonly created: number;
}

type Reader = Pick<Ports, 'table'>;

/** The tag of the latest revision, which every workflow has and no request can move. */
export const LATEST = 'latest';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Whether a text has the form of the id of a revision. */
export const isRevisionId = (text: string): boolean => UUID.test(text);

const isSaved = ({ name, revision }: Ref): boolean => name === revision;

const fromItem = (item: Item): Ref => ({
  name: item.sk,
  revision: String(item['revision']),
  created: Number(item['created']),
});

/** All refs of a workflow but `latest`. */
export async function all({ table }: Reader, node: WorkflowNode): Promise<Ref[]> {
  return (await readAll(table, keys.refs(node.id))).map(fromItem);
}

const latestOf = ({ latest, created }: WorkflowNode): Ref => ({ name: LATEST, revision: latest, created });

/** Returns the ref with this name; the empty name is `latest`. Throws `not-found`. */
async function need({ table }: Reader, node: WorkflowNode, name: string): Promise<Ref> {
  if (name === LATEST || name === '') return latestOf(node);
  const [item] = isRefName(name) ? await table.get([keys.ref(node.id, name)]) : [];
  if (item === undefined) throw notFound('ref');
  return fromItem(item);
}

/**
 * Returns the id of the revision with this ref: `latest`, a tag or the id itself. A revision that is neither saved,
 * tagged nor the latest has no ref (rest-api reference, 5.6). Throws `not-found`.
 */
export async function resolve(ports: Reader, node: WorkflowNode, name: string): Promise<string> {
  return name === node.latest ? name : (await need(ports, node, name)).revision;
}

const KINDS = {
  refs: () => true,
  revisions: isSaved,
  tags: (ref: Ref) => !isSaved(ref),
} as const satisfies Record<string, (ref: Ref) => boolean>;

/** Lists the refs of a workflow: all, the saved revisions, or the tags (rest-api reference, A.2). */
export async function list(
  ports: Reader,
  node: WorkflowNode,
  kind: keyof typeof KINDS,
  request: ListRequest,
): Promise<List<{ readonly name: string }>> {
  const found = [latestOf(node), ...(await all(ports, node))].filter(KINDS[kind]);
  const created = new Map(found.map((ref) => [ref.name, ref.created]));
  const rows = found.map(({ name }) => ({ name }));
  return paginate(rows, request, {
    orders: { CREATED: ({ name }) => created.get(name) ?? 0, NAME: ({ name }) => name },
    defaults: [
      { field: 'CREATED', direction: 'DESC' },
      { field: 'NAME', direction: 'ASC' },
    ],
    filters: { 'NAME/CONTAINS': ({ name }, value) => name.includes(value) },
    idOf: ({ name }) => name,
  });
}

/**
 * Writes a ref, on the condition that the workflow was not changed since it was read: refs must not outlive it. Throws
 * `unavailable` when it was, and ConflictError when the condition of the ref does not hold.
 */
async function write({ table }: Reader, node: WorkflowNode, one: Write): Promise<void> {
  const when = { equals: { id: node.id, latest: node.latest, updated: node.updated } };
  const check: Write = { do: 'check', key: keys.node(node.directory, node.name), when };
  await throwOnConflict(table.write([one, check]), (conflict) =>
    conflict.failed.includes(1) ? changedMeanwhile(`workflow '${node.path}'`) : conflict,
  );
}

const putOf = (node: WorkflowNode, { name, revision, created }: Ref, when: Condition): Write =>
  putAt(keys.ref(node.id, name), { revision, created }, when);

/** Throws `exists` for `latest`, `invalid` for an invalid name of a tag. */
function needTagName(name: string): void {
  if (name === LATEST) throw alreadyExists();
  if (!isRefName(name) || UUID.test(name)) {
    throw invalidField('the name of a tag has letters, digits, and - _ . within, and is not the id of a revision');
  }
}

type Writer = Reader & { readonly clock: Pick<Clock, 'now'> };

/** Tags the revision of a ref, and returns its id. Throws `not-found`, `exists`, `invalid`. */
export async function tag(ports: Writer, node: WorkflowNode, ref: string, name: string): Promise<string> {
  needTagName(name);
  const revision = await resolve(ports, node, ref);
  const created = ports.clock.now();
  await throwOnConflict(write(ports, node, putOf(node, { name, revision, created }, { absent: true })), alreadyExists);
  return revision;
}

/** Saves the latest revision. Returns false when it was saved already (rest-api reference, A.3). */
export async function save(ports: Writer, node: WorkflowNode): Promise<boolean> {
  const ref = { name: node.latest, revision: node.latest, created: ports.clock.now() };
  const written = write(ports, node, putOf(node, ref, { absent: true })).then(() => true);
  return onConflict(written, () => false);
}

/** Returns a tag that can be moved or deleted. Throws `not-found`, and `refused` for `latest` and saved revisions. */
export async function needTag(ports: Reader, node: WorkflowNode, name: string): Promise<Ref> {
  const ref = await need(ports, node, name);
  if (ref.name === LATEST || isSaved(ref)) throw new ServiceError('refused', 'not a tag');
  return ref;
}

function needUnrouted({ routes }: WorkflowNode, kind: 'tag' | 'revision', name: string): void {
  if (routes.some(({ ref }) => ref === name)) {
    throw new ServiceError('refused', `cannot delete ${kind} while routes to it exist`);
  }
}

/** Deletes a tag; other refs of its revision stay. Throws `not-found`, `refused`. */
export async function untag(ports: Reader, node: WorkflowNode, name: string): Promise<void> {
  const ref = await needTag(ports, node, name);
  needUnrouted(node, 'tag', ref.name);
  await write(ports, node, { do: 'delete', key: keys.ref(node.id, ref.name) });
}

/** Moves a tag to another revision. Throws `not-found` when it was deleted since it was read. */
export async function move(ports: Reader, node: WorkflowNode, ref: Ref, revision: string): Promise<void> {
  await throwOnConflict(write(ports, node, putOf(node, { ...ref, revision }, { present: true })), () =>
    notFound('ref'),
  );
}

/** Deletes a saved revision that has no other ref. Throws `not-found`, `refused` (rest-api reference, A.3). */
export async function deleteRevision(ports: Reader, node: WorkflowNode, name: string): Promise<void> {
  const ref = await need(ports, node, name);
  if (!isSaved(ref)) throw new ServiceError('refused', 'not a revision');
  const others = [latestOf(node), ...(await all(ports, node))].filter((other) => other.name !== ref.name);
  if (others.some(({ revision }) => revision === ref.name)) {
    throw new ServiceError('refused', 'cannot delete revision while refs to it exist');
  }
  needUnrouted(node, 'revision', ref.name);
  await write(ports, node, { do: 'delete', key: keys.ref(node.id, ref.name) });
}
