import { type Blobs, type Clock, Conflict, type Table } from '../ports.ts';
import { notFound, ServiceError } from './errors.ts';
import * as keys from './keys.ts';
import { isRefName } from './names.ts';
import * as nodes from './nodes.ts';
import * as revisions from './revisions.ts';
import { needSite, toCreationError, touch } from './tree.ts';

type Needs = { readonly table: Table; readonly clock: Clock; readonly blobs: Blobs };

/** A workflow at its place, and one of its revisions. */
export interface Opened extends nodes.Place<nodes.WorkflowNode> {
  readonly revision: revisions.Revision;
}

/**
 * Stores a new, live workflow; nothing is stored when the source does not compile.
 * Order of checks as in the original (rest-api reference, 5.5): directory, name, existing, source.
 */
export async function create(ports: Needs, namespace: string, path: string, source: string): Promise<Opened> {
  const site = await needSite(ports, namespace, path, () => {
    return new ServiceError('refused', 'parent inode is not a directory');
  });
  const key = keys.node(site.directory.id, site.name);
  const [existing] = await ports.table.get([key]);
  if (existing !== undefined) throw new ServiceError('exists', 'resource already exists');
  const plan = revisions.needPlan(source);
  const id = ports.clock.uuid();
  const now = ports.clock.now();
  const revision = await revisions.toItem(ports, id, source, plan);
  const { pk, sk } = key;
  const item = { pk, sk, id, type: 'workflow', created: now, updated: now, live: true, latest: revision.sk };
  await ports.table
    .write([
      { do: 'put', table: 'catalog', item, when: { absent: true } },
      touch(site.namespace, site.directory, now),
      { do: 'put', table: 'catalog', item: revision },
    ])
    .catch((error: unknown) => {
      throw toCreationError(error, site);
    });
  const node = nodes.fromItem(item, site.directory.path) as nodes.WorkflowNode;
  return { namespace: site.namespace, node, revision: await revisions.fromItem(ports.blobs, id, revision) };
}

/** Makes the source the latest revision; the same source again changes nothing. Throws `invalid` for a bad source. */
export async function update(ports: Needs, namespace: string, path: string, source: string): Promise<Opened> {
  const opened = await open(ports, namespace, path);
  if (opened.revision.hash === revisions.hashOf(source)) return opened;
  const plan = revisions.needPlan(source);
  const { node } = opened;
  const item = await revisions.toItem(ports, node.id, source, plan);
  const updated = ports.clock.now();
  await changeNode(ports, node, { latest: item.sk, updated }, [{ do: 'put', table: 'catalog', item }]);
  const revision = await revisions.fromItem(ports.blobs, node.id, item);
  return { namespace: opened.namespace, node: { ...node, latest: item.sk, updated }, revision };
}

async function changeNode(
  { table }: { table: Table },
  node: nodes.WorkflowNode,
  set: Readonly<Record<string, string | number | boolean>>,
  more: Parameters<Table['write']>[0] = [],
): Promise<void> {
  const key = keys.node(node.directory, node.name);
  const when = { equals: { id: node.id, latest: node.latest } };
  await table.write([{ do: 'update', key, set, when }, ...more]).catch((error: unknown) => {
    if (!(error instanceof Conflict)) throw error;
    throw new ServiceError('unavailable', `workflow '${node.path}' was changed at this moment; try again`);
  });
}

/** The workflow at a path with the revision a ref names: `latest` (the default) or a revision's id. */
export async function open(
  ports: { readonly table: Table; readonly blobs: Blobs },
  namespace: string,
  path: string,
  ref = 'latest',
): Promise<Opened> {
  return openNode(ports, await nodes.needWorkflow(ports, namespace, path), ref);
}

/** As `open`, for a place that is already found. Throws `not-found` for an unknown ref. */
export async function openNode(
  ports: { readonly table: Table; readonly blobs: Blobs },
  { namespace, node }: nodes.Place<nodes.WorkflowNode>,
  ref: string,
): Promise<Opened> {
  const id = ref === '' || ref === 'latest' ? node.latest : ref;
  if (!isRefName(id)) throw notFound('ref');
  const revision = await revisions.need(ports, node.id, id).catch((error: unknown) => {
    throw error instanceof ServiceError && id !== node.latest ? notFound('ref') : error;
  });
  return { namespace, node, revision };
}

/** Switches a workflow on or off. A disabled one cannot be invoked by anybody (specification, States). */
export async function toggle(ports: Needs, namespace: string, path: string, live: boolean): Promise<void> {
  const { node } = await nodes.needWorkflow(ports, namespace, path);
  if (node.live !== live) await changeNode(ports, node, { live, updated: ports.clock.now() });
}

/** Names the logger of workflow event logging; the empty text switches it off. */
export async function setLogger(ports: Needs, namespace: string, path: string, logger: string): Promise<void> {
  const { node } = await nodes.needWorkflow(ports, namespace, path);
  if (node.logger !== logger) await changeNode(ports, node, { logger, updated: ports.clock.now() });
}
