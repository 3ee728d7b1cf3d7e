import type { Plan } from '../../compiler/plan/plan.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Write } from '../../ports/table.ts';
import { parseCron } from '../../time/cron/cron.ts';
import { limitWrites } from '../concurrency/limits.ts';
import { alreadyExists, changedMeanwhile, invalidField, ServiceError } from '../errors.ts';
import * as listenedTypes from '../events/listened-types.ts';
import * as listeners from '../events/listeners.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { countingWrites, type TreeCounts } from '../namespaces/tree-counts.ts';
import { mostOf, needRoom } from '../quotas.ts';
import { throwOnConflict } from '../storage/conflicts.ts';
import { orderedId, sha256 } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import * as nodes from './nodes.ts';
import type { ReadingPorts } from './reading.ts';
import * as refs from './refs.ts';
import * as revisions from './revisions.ts';
import * as routers from './routes.ts';
import * as schedules from './schedules.ts';
import { creationError, needSite, type SiteErrors, touch } from './tree.ts';

type Needs = Pick<Ports, 'table' | 'clock' | 'blobs' | 'schedules' | 'settings'> & ReadingPorts;

/** Compiles a source. Throws `invalid` for a problem in it, and for a cron text that the scheduler does not support. */
async function needStartablePlan(
  ports: Pick<Needs, 'schedules' | 'reader' | 'processor'>,
  { name: tenant }: nodes.ResolvedNode['namespace'],
  source: string,
): Promise<Plan> {
  const plan = await revisions.needPlan(ports, { tenant, source });
  const cron = plan.start.type === 'scheduled' ? plan.start.cron : undefined;
  const isReadable = cron !== undefined && !('problem' in parseCron(cron));
  const problem = isReadable ? ports.schedules.problemOf(cron) : undefined;
  if (problem !== undefined) throw new ServiceError('invalid', `start: cron '${cron}': ${problem}`);
  return plan;
}

/** A workflow in the tree, with one of its revisions. */
export interface Opened extends nodes.ResolvedNode<nodes.WorkflowNode> {
  readonly revision: revisions.Revision;
}

/** Whether the clock starts the workflow, if it is live. */
export const isScheduled = ({ revision }: Pick<Opened, 'revision'>): boolean => schedules.isScheduled(revision.plan);

/** Identifies a workflow in its listeners and its schedule. */
interface Address {
  readonly namespace: Namespace;
  readonly id: string;
  readonly path: string;
}

const addressOf = ({ namespace, node }: Opened): Address => ({ namespace, id: node.id, path: node.path });

/** The plans that define how a workflow is started, before and after a change. */
interface Plans {
  readonly before: Plan | undefined;
  readonly after: Plan | undefined;
}

const startsOf = (plan: Plan | undefined): nodes.Starts => ({
  ...schedules.countsOf(plan),
  listeners: plan === undefined ? 0 : listeners.startFilters(plan).length,
});

/** By how much a change changes the counts of the namespace. Throws `over-quota` if it has too many then. */
function countsOf(
  { settings }: Pick<Ports, 'settings'>,
  { limits, counts }: Namespace,
  plans: Plans,
  workflows: 0 | 1 = 0,
): TreeCounts {
  const [before, after] = [startsOf(plans.before), startsOf(plans.after)];
  const grown = {
    workflows,
    schedules: after.schedules - before.schedules,
    ticks: after.ticks - before.ticks,
    listeners: after.listeners - before.listeners,
  };
  for (const name of ['workflows', 'schedules', 'ticks', 'listeners'] as const) {
    if (grown[name] > 0) needRoom(mostOf(settings, name, limits), name, counts[name], grown[name]);
  }
  return grown;
}

/** What the item of a workflow has of how it is started; nothing for one that is started by requests alone. */
function startFields({ before, after }: Plans): Partial<nodes.Starts> {
  const starts = startsOf(after);
  const isPlain = [starts, startsOf(before)].every(({ schedules, listeners }) => schedules + listeners === 0);
  return isPlain ? {} : starts;
}

/** The writes by which its starts follow a change of a workflow: its listeners, and the marker of its schedule. */
async function startWrites(
  ports: Pick<Ports, 'table' | 'clock'>,
  { namespace, id, path }: Address,
  plans: Plans,
  now: number,
): Promise<Write[]> {
  if (plans.after !== undefined) {
    await listenedTypes.store(ports, listeners.ownerOfStarts(namespace, id), listeners.startFilters(plans.after));
  }
  return [
    ...listeners.startWrites({ namespace, id, path }, plans, now),
    ...schedules.toMarkers({ id, namespace: namespace.name, path }, plans, ports.clock.uuid()),
  ];
}

/** As `startWrites`, for a workflow that exists, with the writes that count the change and the fields of its node. */
async function changeStarts(ports: Needs, opened: Opened, plans: Plans, now: number) {
  const counting = countingWrites(opened.namespace, countsOf(ports, opened.namespace, plans));
  const started = await startWrites(ports, addressOf(opened), plans, now);
  return { fields: startFields(plans), writes: [...started, ...counting] };
}

const WORKFLOW_ERRORS: SiteErrors = {
  notDirectory: () => new ServiceError('refused', 'parent inode is not a directory'),
  // The name of the root is empty, which is no name (rest-api reference, 5.5).
  atRoot: () => invalidField('a workflow has a name: add it to the path'),
};

/** A new workflow; by default it is live, without a logger and attributes. */
export type New = { readonly source: string } & Partial<Pick<nodes.WorkflowNode, 'live' | 'logger' | 'attributes'>>;

/**
 * Stores a new workflow, or the text of one. Throws `invalid` when the source does not compile, and the errors of `needSite`. The order
 * of the checks is that of the original (rest-api reference, 5.5): directory, name, existing, source.
 */
export async function create(ports: Needs, namespace: string, path: string, given: string | New): Promise<Opened> {
  const { source, live = true, logger = '', attributes = [] } = typeof given === 'string' ? { source: given } : given;
  const site = await needSite(ports, namespace, path, WORKFLOW_ERRORS);
  const key = keys.node(site.directory.id, site.name);
  const [existing] = await ports.table.get([key]);
  if (existing !== undefined) throw alreadyExists();
  const plan = await needStartablePlan(ports, site.namespace, source);
  const id = ports.clock.uuid();
  const now = ports.clock.now();
  const revision = await revisions.toItem(ports, id, source, plan);
  const place = { namespace: site.namespace, id, path: site.path };
  const plans = { before: undefined, after: live ? plan : undefined };
  const counts = countsOf(ports, site.namespace, plans, 1);
  const { pk, sk } = key;
  const more = { ...(logger && { logger }), ...(attributes.length > 0 && { attributes: JSON.stringify(attributes) }) };
  const own = { pk, sk, id, type: 'workflow', created: now, updated: now, live, latest: revisions.idIn(revision) };
  const item = { ...own, ...more, ...startFields(plans) };
  const written = ports.table.write([
    { do: 'put', table: 'catalog', item, when: { absent: true } },
    ...touch(site.namespace, site.directory, now, counts),
    { do: 'put', table: 'catalog', item: revision },
    ...(await startWrites(ports, place, plans, now)),
    ...limitWrites(place, undefined, plan),
  ]);
  await throwOnConflict(written, creationError(site));
  const node = nodes.fromItem(item, site.directory.path) as nodes.WorkflowNode;
  return { namespace: site.namespace, node, revision: await revisions.fromItem(ports.blobs, id, revision) };
}

/**
 * Makes the source the latest revision of an opened workflow. Returns `opened` itself when the source is unchanged.
 * Throws `invalid` for a source that does not compile.
 */
export async function update(ports: Needs, opened: Opened, source: string): Promise<Opened> {
  if (opened.revision.hash === sha256(source)) return opened;
  const plan = await needStartablePlan(ports, opened.namespace, source);
  const { id } = opened.node;
  const item = await revisions.toItem(ports, id, source, plan);
  const revision = await revisions.fromItem(ports.blobs, id, item);
  return makeLatest(ports, opened, revision, [{ do: 'put', table: 'catalog', item }]);
}

/**
 * Changes the latest revision. The former one stays stored, for its runs; it has no ref unless it was saved or tagged.
 * Throws `invalid` for a start definition that is incompatible with the routes.
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
  const updated = nodes.changeTime(ports, node);
  const isStarting = node.live && routers.countsLatest(node);
  const plans = { before: opened.revision.plan, after: plan };
  const started = isStarting ? await changeStarts(ports, opened, plans, updated) : { fields: {}, writes: [] };
  const writes = [...more, ...limitWrites(addressOf(opened), opened.revision.plan, plan)];
  await changeNode(ports, node, { latest: revision.id, updated, ...started.fields }, [...writes, ...started.writes]);
  return { namespace, node: { ...node, latest: revision.id, updated }, revision };
}

/**
 * Makes the newest revision that has a ref the latest one. Returns `opened` itself if the latest is saved or tagged, or
 * no revision has a ref (rest-api reference, A.3).
 */
export async function discard(ports: Needs, opened: Opened): Promise<Opened> {
  const { node } = opened;
  const named = (await refs.all(ports, node)).map(({ revision }) => orderedId(revision)).sort();
  const last = named.at(-1);
  if (last === undefined || named.includes(orderedId(node.latest))) return opened;
  return makeLatest(ports, opened, await revisions.need(ports, node.id, orderedId(last)), []);
}

/**
 * Changes the routes of a workflow, and enables or disables it. Returns the workflow with the revision that defined how
 * it was started, and with the one that does so now. Throws `not-found` for an unknown ref, `invalid` for invalid routes.
 */
export async function divide(
  ports: Needs,
  found: nodes.ResolvedNode<nodes.WorkflowNode>,
  { live, routes: given }: Pick<nodes.WorkflowNode, 'live' | 'routes'>,
): Promise<{ readonly before: Opened; readonly after: Opened }> {
  const routes = routers.toRoutes(given);
  const problem = await routers.problemOf(ports, found.node, routes);
  if (problem !== undefined) throw new ServiceError('invalid', problem);
  const updated = nodes.changeTime(ports, found.node);
  const before = await openNode(ports, found);
  const after = await openNode(ports, { ...found, node: { ...found.node, live, routes, updated } });
  const planIn = ({ node, revision }: Opened) => (node.live ? revision.plan : undefined);
  const plans = { before: planIn(before), after: planIn(after) };
  const { fields, writes } = await changeStarts(ports, after, plans, updated);
  await changeNode(ports, found.node, { live, routes: JSON.stringify(routes), updated, ...fields }, writes);
  return { before, after };
}

async function changeNode(
  { table }: Pick<Ports, 'table'>,
  node: nodes.WorkflowNode,
  set: Readonly<Record<string, string | number | boolean>>,
  more: readonly Write[] = [],
): Promise<void> {
  const key = keys.node(node.directory, node.name);
  const when = { equals: { id: node.id, latest: node.latest, updated: node.updated } };
  await throwOnConflict(table.write([{ do: 'update', key, set, when }, ...more]), () =>
    changedMeanwhile(`workflow '${node.path}'`),
  );
}

type Readers = Pick<Ports, 'table' | 'blobs'>;

/** Which revision to open: that of a ref, or the one that the routes choose for a seed. */
export interface Choice {
  /** `latest`, a tag or the id of a revision; empty: the routes choose. */
  readonly ref?: string | undefined;
  readonly seed?: string | undefined;
}

/**
 * Opens the workflow at a path. With neither ref nor seed it has the revision that defines how the workflow is started.
 * Throws `not-found`, and `refused` for a directory.
 */
export async function open(ports: Readers, namespace: string, path: string, choice: Choice = {}): Promise<Opened> {
  return openNode(ports, await nodes.needWorkflow(ports, namespace, path), choice);
}

/** As `open`, for a node that is already resolved. Throws `not-found` for an unknown ref. */
export async function openNode(
  ports: Readers,
  { namespace, node }: nodes.ResolvedNode<nodes.WorkflowNode>,
  { ref = '', seed }: Choice = {},
): Promise<Opened> {
  const id = await refs.resolve(ports, node, ref === '' ? routers.choose(node, seed) : ref);
  return { namespace, node, revision: await revisions.need(ports, node.id, id) };
}

/**
 * Enables or disables an opened workflow. Returns `opened` itself when nothing changes. A disabled workflow cannot be
 * started (specification, States).
 */
export async function toggle(ports: Needs, opened: Opened, live: boolean): Promise<Opened> {
  const { node, revision } = opened;
  if (node.live === live) return opened;
  const updated = nodes.changeTime(ports, node);
  const plans = live ? { before: undefined, after: revision.plan } : { before: revision.plan, after: undefined };
  const { fields, writes } = await changeStarts(ports, opened, plans, updated);
  await changeNode(ports, node, { live, updated, ...fields }, writes);
  return { ...opened, node: { ...node, live, updated } };
}

/** The longest logger, characters: each run has it. */
const MAX_LOGGER_LENGTH = 1000;

/** Sets the logger of workflow event logging; the empty text disables the logging. Throws `invalid` for one too long. */
export async function setLogger(
  ports: Needs,
  { node }: nodes.ResolvedNode<nodes.WorkflowNode>,
  logger: string,
): Promise<void> {
  if (logger.length > MAX_LOGGER_LENGTH) {
    throw new ServiceError('invalid', `a logger has at most ${MAX_LOGGER_LENGTH} characters`);
  }
  if (node.logger !== logger) await changeNode(ports, node, { logger, updated: nodes.changeTime(ports, node) });
}
