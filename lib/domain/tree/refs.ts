import { type Condition, ConflictError, type Item, type Table, type Write } from '../../ports/table.ts';
import { alreadyExists, invalidField, notFound, ServiceError } from '../errors.ts';
import { isRefName } from '../names.ts';
import { readAll } from '../storage/items.ts';
import * as keys from '../storage/keys.ts';
import { type List, type ListRequest, paginate } from '../storage/pages.ts';
import type { WorkflowNode } from './nodes.ts';

/** A name that keeps a revision: its own id, which makes it a saved one, or a tag. */
export interface Ref {
  readonly name: string;
  readonly revision: string;
  readonly created: number;
}

type Reader = { readonly table: Table };

/** The tag that every workflow has and that nobody can move by hand. */
export const LATEST = 'latest';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const isSaved = ({ name, revision }: Ref): boolean => name === revision;

const fromItem = (item: Item): Ref => ({
  name: item.sk,
  revision: String(item['revision']),
  created: Number(item['created']),
});

/** Every name of a workflow's revisions but `latest`. */
export async function all({ table }: Reader, node: WorkflowNode): Promise<Ref[]> {
  return (await readAll(table, keys.refs(node.id))).map(fromItem);
}

const latestOf = ({ latest, created }: WorkflowNode): Ref => ({ name: LATEST, revision: latest, created });

/** The ref of a name. Throws `not-found`. */
async function need({ table }: Reader, node: WorkflowNode, name: string): Promise<Ref> {
  if (name === LATEST || name === '') return latestOf(node);
  const [item] = isRefName(name) ? await table.get([keys.ref(node.id, name)]) : [];
  if (item === undefined) throw notFound('ref');
  return fromItem(item);
}

/**
 * The id of the revision that a ref names: `latest`, a tag or a revision's id. One that is neither saved nor tagged nor
 * the latest has no name any more (rest-api reference, 5.6). Throws `not-found`.
 */
export async function resolve(ports: Reader, node: WorkflowNode, name: string): Promise<string> {
  return name === node.latest ? name : (await need(ports, node, name)).revision;
}

const KINDS = {
  refs: () => true,
  revisions: isSaved,
  tags: (ref: Ref) => !isSaved(ref),
} as const satisfies Record<string, (ref: Ref) => boolean>;

/** The names of a workflow's revisions: all, the saved revisions, or the tags (rest-api reference, A.2). */
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

/** Writes a ref of a workflow that is as it was read: the names of a dying one must not outlive it. */
async function write({ table }: Reader, node: WorkflowNode, one: Write): Promise<void> {
  const when = { equals: { id: node.id, latest: node.latest, updated: node.updated } };
  const check: Write = { do: 'check', key: keys.node(node.directory, node.name), when };
  await table.write([one, check]).catch((error: unknown) => {
    if (error instanceof ConflictError && error.failed.includes(1)) {
      throw new ServiceError('unavailable', `workflow '${node.path}' was changed at this moment; try again`);
    }
    throw error;
  });
}

const putOf = (node: WorkflowNode, { name, revision, created }: Ref, when: Condition): Write => {
  const { pk, sk } = keys.ref(node.id, name);
  return { do: 'put', table: 'catalog', item: { pk, sk, revision, created }, when };
};

/** Throws `exists` for `latest`, `invalid` for what cannot name a tag. */
function needTagName(name: string): void {
  if (name === LATEST) throw alreadyExists();
  if (!isRefName(name) || UUID.test(name)) {
    throw invalidField('a tag is named by letters, digits, and - _ . within, and not like a revision');
  }
}

/** Gives the revision of a ref a further name, and answers its id. Throws `not-found`, `exists`, `invalid`. */
export async function tag(ports: Reader, node: WorkflowNode, ref: string, name: string, now: number): Promise<string> {
  needTagName(name);
  const revision = await resolve(ports, node, ref);
  await write(ports, node, putOf(node, { name, revision, created: now }, { absent: true })).catch((error: unknown) => {
    throw error instanceof ConflictError ? alreadyExists() : error;
  });
  return revision;
}

/** Makes the latest revision a saved one; false when it was one already (rest-api reference, A.3). */
export async function save(ports: Reader, node: WorkflowNode, now: number): Promise<boolean> {
  const ref = { name: node.latest, revision: node.latest, created: now };
  try {
    await write(ports, node, putOf(node, ref, { absent: true }));
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}

/** A tag that may be moved or taken away. Throws `not-found`, and `refused` for `latest` and saved revisions. */
export async function needTag(ports: Reader, node: WorkflowNode, name: string): Promise<Ref> {
  const ref = await need(ports, node, name);
  if (ref.name === LATEST || isSaved(ref)) throw new ServiceError('refused', 'not a tag');
  return ref;
}

const isRouted = ({ routes }: WorkflowNode, name: string): boolean => routes.some(({ ref }) => ref === name);

function needUnrouted(node: WorkflowNode, kind: 'tag' | 'revision', name: string): void {
  if (isRouted(node, name)) throw new ServiceError('refused', `cannot delete ${kind} while routes to it exist`);
}

/** Takes a tag away; what else names its revision stays. Throws `not-found`, `refused`. */
export async function untag(ports: Reader, node: WorkflowNode, name: string): Promise<void> {
  const ref = await needTag(ports, node, name);
  needUnrouted(node, 'tag', ref.name);
  await write(ports, node, { do: 'delete', key: keys.ref(node.id, ref.name) });
}

/** Points a tag at another revision. Throws `not-found` when it was taken away meanwhile. */
export async function move(ports: Reader, node: WorkflowNode, ref: Ref, revision: string): Promise<void> {
  await write(ports, node, putOf(node, { ...ref, revision }, { present: true })).catch((error: unknown) => {
    throw error instanceof ConflictError ? notFound('ref') : error;
  });
}

/** Deletes a saved revision that nothing else names. Throws `not-found`, `refused` (rest-api reference, A.3). */
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
