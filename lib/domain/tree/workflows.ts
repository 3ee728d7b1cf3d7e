import type { Plan } from '../../compiler/plan/plan.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Schedules } from '../../ports/schedules.ts';
import { ConflictError, type Table, type Write } from '../../ports/table.ts';
import { parseCron } from '../../time/cron/cron.ts';
import { ServiceError } from '../errors.ts';
import * as listeners from '../events/listeners.ts';
import * as keys from '../storage/keys.ts';
import * as nodes from './nodes.ts';
import * as refs from './refs.ts';
import * as revisions from './revisions.ts';
import * as routers from './routers.ts';
import { needSite, toCreationError, touch } from './tree.ts';

type Needs = {
  readonly table: Table;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly schedules: Schedules;
};

/** The plan of a source that can be kept here. Throws `invalid`. */
function needPlan({ schedules }: Pick<Needs, 'schedules'>, source: string): Plan {
  const plan = revisions.needPlan(source);
  const cron = plan.start.type === 'scheduled' ? plan.start.cron : undefined;
  const isReadable = cron !== undefined && !('problem' in parseCron(cron));
  const problem = isReadable ? schedules.problemOf(cron) : undefined;
  if (problem !== undefined) throw new ServiceError('invalid', `start: cron '${cron}': ${problem}`);
  return plan;
}

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
  const plan = needPlan(ports, source);
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
      ...listeners.startWrites({ namespaceId: site.namespace.id, id, path: site.path }, undefined, plan, now),
    ])
    .catch((error: unknown) => {
      throw toCreationError(error, site);
    });
  const node = nodes.fromItem(item, site.directory.path) as nodes.WorkflowNode;
  return { namespace: site.namespace, node, revision: await revisions.fromItem(ports.blobs, id, revision) };
}

/**
 * Makes the source the latest revision of an opened workflow; the same source again changes nothing and answers
 * `opened` itself. Throws `invalid` for a bad source.
 */
export async function update(ports: Needs, opened: Opened, source: string): Promise<Opened> {
  if (opened.revision.hash === revisions.hashOf(source)) return opened;
  const plan = needPlan(ports, source);
  const { id } = opened.node;
  const item = await revisions.toItem(ports, id, source, plan);
  const revision = await revisions.fromItem(ports.blobs, id, item);
  return makeLatest(ports, opened, revision, [{ do: 'put', table: 'catalog', item }]);
}

const placeOf = ({ namespace, node }: Opened) => ({ namespaceId: namespace.id, id: node.id, path: node.path });

/**
 * The revision that was the latest stays where it is, for the runs that have it; nothing names it any more unless it
 * was saved or tagged. Throws `invalid` for a start that does not fit the routes.
 */
async function makeLatest(
  ports: Needs,
  opened: Opened,
  revision: revisions.Revision,
  more: readonly Write[],
): Promise<Opened> {
  const { namespace, node } = opened;
  const plan = revisions.planOf(revision);
  await routers.needFitting(ports, node, refs.LATEST, plan);
  const updated = ports.clock.now();
  const isStarting = node.live && routers.countsLatest(node);
  const started = isStarting ? listeners.startWrites(placeOf(opened), opened.revision.plan, plan, updated) : [];
  await changeNode(ports, node, { latest: revision.id, updated }, [...more, ...started]);
  return { namespace, node: { ...node, latest: revision.id, updated }, revision };
}

/**
 * Goes back from the latest revision to the newest before it that has a name. If the latest is saved or tagged, or
 * there is none before it, answers `opened` itself (rest-api reference, A.3).
 */
export async function discard(ports: Needs, opened: Opened): Promise<Opened> {
  const { node } = opened;
  const named = (await refs.all(ports, node)).map(({ revision }) => revision).sort();
  const last = named.at(-1);
  if (last === undefined || named.includes(node.latest)) return opened;
  return makeLatest(ports, opened, await revisions.need(ports, node.id, last), []);
}

/**
 * Divides starts anew and switches the workflow on or off. Answers the revision that told before and the one that
 * tells now by what the workflow is started. Throws `not-found` for an unknown ref, `invalid` for routes that do not go
 * together.
 */
export async function divide(
  ports: Needs,
  place: nodes.Place<nodes.WorkflowNode>,
  { live, routes: given }: Pick<nodes.WorkflowNode, 'live' | 'routes'>,
): Promise<{ readonly before: Opened; readonly after: Opened }> {
  const routes = routers.toRoutes(given);
  const problem = await routers.problemOf(ports, place.node, routes);
  if (problem !== undefined) throw new ServiceError('invalid', problem);
  const updated = ports.clock.now();
  const before = await openNode(ports, place, '');
  const after = await openNode(ports, { ...place, node: { ...place.node, live, routes, updated } }, '');
  const planIn = ({ node, revision }: Opened) => (node.live ? revision.plan : undefined);
  const started = listeners.startWrites(placeOf(after), planIn(before), planIn(after), updated);
  await changeNode(ports, place.node, { live, routes: JSON.stringify(routes), updated }, started);
  return { before, after };
}

async function changeNode(
  { table }: { table: Table },
  node: nodes.WorkflowNode,
  set: Readonly<Record<string, string | number | boolean>>,
  more: readonly Write[] = [],
): Promise<void> {
  const key = keys.node(node.directory, node.name);
  const when = { equals: { id: node.id, latest: node.latest, updated: node.updated } };
  await table.write([{ do: 'update', key, set, when }, ...more]).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error;
    throw new ServiceError('unavailable', `workflow '${node.path}' was changed at this moment; try again`);
  });
}

/**
 * The workflow at a path with the revision a ref names: `latest`, a tag or a revision's id. Without a ref the routes
 * choose, for each seed one; without a seed it is the revision that tells by what the workflow is started.
 */
export async function open(
  ports: { readonly table: Table; readonly blobs: Blobs },
  namespace: string,
  path: string,
  ref = '',
  seed?: string,
): Promise<Opened> {
  return openNode(ports, await nodes.needWorkflow(ports, namespace, path), ref, seed);
}

/** As `open`, for a place that is already found. Throws `not-found` for an unknown ref. */
export async function openNode(
  ports: { readonly table: Table; readonly blobs: Blobs },
  { namespace, node }: nodes.Place<nodes.WorkflowNode>,
  ref: string,
  seed?: string,
): Promise<Opened> {
  const id = await refs.resolve(ports, node, ref === '' ? routers.choose(node, seed) : ref);
  return { namespace, node, revision: await revisions.need(ports, node.id, id) };
}

/**
 * Switches an opened workflow on or off; as it was already answers `opened` itself. A disabled one cannot be invoked by
 * anybody (specification, States).
 */
export async function toggle(ports: Needs, opened: Opened, live: boolean): Promise<Opened> {
  const { node, revision } = opened;
  if (node.live === live) return opened;
  const updated = ports.clock.now();
  const [before, after] = live ? [undefined, revision.plan] : [revision.plan, undefined];
  const started = listeners.startWrites(placeOf(opened), before, after, updated);
  await changeNode(ports, node, { live, updated }, started);
  return { ...opened, node: { ...node, live, updated } };
}

/** Names the logger of workflow event logging; the empty text switches it off. */
export async function setLogger(
  ports: Needs,
  { node }: nodes.Place<nodes.WorkflowNode>,
  logger: string,
): Promise<void> {
  if (node.logger !== logger) await changeNode(ports, node, { logger, updated: ports.clock.now() });
}
