import type { Ports } from '../../ports/ports.ts';
import type { Table } from '../../ports/table.ts';
import { DAY_MS } from '../../time/units.ts';
import { ServiceError } from '../errors.ts';
import * as namespaces from '../namespaces/namespaces.ts';
import { putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';
import * as nodes from '../tree/nodes.ts';
import * as refs from '../tree/refs.ts';
import * as aggregates from './aggregates.ts';
import { executionsOf, toFlow } from './flow-metrics.ts';
import { withdrawFuture } from './future-marks.ts';
import { begun, counterNames, ended, HOURS_KEPT_DAYS, hourOf } from './run-counts.ts';
import { numberAt, plus, type Sums, sumsAt } from './sums.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

/** A metric: its name without the brand, the aggregate that it is made from, and how its value is read from a counter. */
interface Metric {
  readonly name: string;
  readonly aggregate: aggregates.Aggregate;
  readonly readValue: (sums: Sums) => number;
  /** Whether there is a value; by default, whether it is greater than 0. */
  readonly hasValue?: (sums: Sums) => boolean;
}

/** rest-api reference, 13; `failed` counts runs, although the specification describes it differently (appendix D). */
export const METRICS = {
  invoked: { name: 'workflows_invoked_total', aggregate: begun, readValue: (sums) => numberAt(sums, 'runs') },
  successful: { name: 'workflows_success_total', aggregate: ended, readValue: (sums) => numberAt(sums, 'done') },
  failed: { name: 'workflows_failed_total', aggregate: ended, readValue: (sums) => numberAt(sums, 'failed') },
  milliseconds: {
    name: 'workflows_total_milliseconds_sum',
    aggregate: ended,
    readValue: (sums) => numberAt(sums, 'ms'),
    hasValue: (sums) => numberAt(sums, 'done') + numberAt(sums, 'failed') > 0,
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

/** A Prometheus instant vector. */
export interface Vector {
  readonly results: readonly {
    readonly metric: Readonly<Record<string, string>>;
    readonly value: readonly [seconds: number, value: string];
  }[];
  readonly warnings: null;
}

const EMPTY: Vector = { results: [], warnings: null };

/** The brand in the names of metrics, and the namespace of the request. */
interface Naming {
  readonly brand: string;
  readonly namespace: string;
}

const labelsOf = ({ brand, namespace }: Naming, path: string): Record<string, string> => ({
  [`${brand}_namespace`]: namespace,
  [`${brand}_tenant`]: namespace,
  [`${brand}_workflow`]: path,
});

/** Undefined for a missing thing: its metrics are an empty vector and not an error (rest-api reference, 13). */
async function orUndefined<T>(find: Promise<T>): Promise<T | undefined> {
  return find.catch((error: unknown) => {
    const isMissing = error instanceof ServiceError && ['not-found', 'refused'].includes(error.code);
    if (isMissing) return undefined;
    throw error;
  });
}

/** The number of directories that are read at the same time. */
const CONCURRENCY = 16;

/** The paths of all workflows of the namespace, by id. */
async function pathsOf(table: Table, namespace: namespaces.Namespace): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  const open: nodes.Node[] = [nodes.rootOf(namespace)];
  const childrenOf = async ({ id, path }: nodes.Node) =>
    (await readAll(table, keys.directory(id))).map((item) => nodes.fromItem(item, path));
  while (open.length > 0) {
    const children = await Promise.all(open.splice(0, CONCURRENCY).map(childrenOf));
    for (const node of children.flat()) {
      if (node.type === 'directory') open.push(node);
      else paths.set(node.id, node.path);
    }
  }
  return paths;
}

/** Precedes the id of a deleted workflow. */
const DELETED = 'deleted#';

/** The last paths of the deleted workflows of a namespace, by id. */
async function deletedPathsOf(table: Table, namespaceId: string): Promise<Map<string, string>> {
  const items = await readAll(table, { ...keys.counters(namespaceId), prefix: DELETED });
  return new Map(items.map(({ sk, path }) => [sk.slice(DELETED.length), String(path)]));
}

function toVector(
  { readValue, hasValue = (sums) => readValue(sums) > 0, name }: Metric,
  naming: Naming,
  rows: readonly (readonly [path: string, Sums])[],
  now: number,
): Vector {
  const results = rows
    .filter(([, sums]) => hasValue(sums))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, sums]) => ({
      metric: { __name__: `${naming.brand}_${name}`, ...labelsOf(naming, path) },
      value: [now / 1000, String(readValue(sums))] as const,
    }));
  return { results, warnings: null };
}

/**
 * Returns a metric of each workflow of a namespace, also of deleted ones: workflows that had a path one after the other are
 * one. Empty when there is no such namespace.
 */
export async function ofNamespace(needs: Needs, naming: Naming, name: MetricName): Promise<Vector> {
  const namespace = await orUndefined(namespaces.need(needs, naming.namespace));
  if (namespace === undefined) return EMPTY;
  const metric: Metric = METRICS[name];
  const prefix = counterNames.ofWorkflow('');
  const [sums, deleted, paths] = await Promise.all([
    aggregates.read(needs, namespace, metric.aggregate, { prefix }),
    deletedPathsOf(needs.table, namespace.id),
    pathsOf(needs.table, namespace),
  ]);
  const byPath = new Map<string, Sums>();
  for (const [id, path] of [...deleted, ...paths]) {
    byPath.set(path, plus(byPath.get(path) ?? {}, sums.get(prefix + id) ?? {}));
  }
  return toVector(metric, naming, [...byPath], needs.clock.now());
}

const findWorkflow = (needs: Needs, { namespace }: Naming, path: string) =>
  orUndefined(nodes.needWorkflow(needs, namespace, path));

/** Returns a metric of one workflow; empty when there is no such workflow. */
export async function ofWorkflow(needs: Needs, naming: Naming, path: string, name: MetricName): Promise<Vector> {
  const found = await findWorkflow(needs, naming, path);
  if (found === undefined) return EMPTY;
  const metric: Metric = METRICS[name];
  const counter = counterNames.ofWorkflow(found.node.id);
  const sums = await aggregates.read(needs, found.namespace, metric.aggregate, { prefix: counter });
  return toVector(metric, naming, [[found.node.path, sums.get(counter) ?? {}]], needs.clock.now());
}

const total = (all: Iterable<Sums>): Sums => [...all].reduce((sum, one) => plus(sum, one), {});

/** Returns the mean milliseconds of each state of a workflow, over all its revisions. */
export async function ofStates(needs: Needs, naming: Naming, path: string): Promise<Vector> {
  const found = await findWorkflow(needs, naming, path);
  if (found === undefined) return EMPTY;
  const prefix = counterNames.ofRevision(found.node.id, '');
  const flow = total((await aggregates.read(needs, found.namespace, ended, { prefix })).values());
  const states = sumsAt(flow, 'states');
  const seconds = needs.clock.now() / 1000;
  const results = Object.keys(states).flatMap((state) => {
    const count = executionsOf(sumsAt(states, state));
    const metric = { ...labelsOf(naming, found.node.path), state };
    const mean = numberAt(sumsAt(states, state), 'ms') / count;
    return count === 0 ? [] : [{ metric, value: [seconds, String(mean)] as const }];
  });
  return { results, warnings: null };
}

/** Sorts after every hour, and before `ever`. */
const AFTER_ALL_HOURS = '9999';

/** Which runs `flowOf` counts. */
export interface FlowRequest {
  readonly path: string;
  readonly ref: string;
  /** Only runs that ended in the last `since` milliseconds, from the start of an hour; undefined: all runs. */
  readonly since: number | undefined;
}

/**
 * Returns how the runs of a revision moved from state to state. A `since` beyond the retention of the counters by the
 * hour counts all runs. Throws `not-found`, `refused`.
 */
export async function flowOf(needs: Needs, naming: Naming, { path, ref, since }: FlowRequest) {
  const { namespace, node } = await nodes.needWorkflow(needs, naming.namespace, path);
  const revision = await refs.resolve(needs, node, ref);
  const { ofHour, ofRevision } = counterNames;
  const isLimited = since !== undefined && since <= HOURS_KEPT_DAYS * DAY_MS;
  const range = isLimited
    ? { from: ofHour(node.id, hourOf(needs.clock.now() - since), ''), to: ofHour(node.id, AFTER_ALL_HOURS, '') }
    : { prefix: ofRevision(node.id, revision) };
  const sums = await aggregates.read(needs, namespace, ended, range);
  const own = [...sums].filter(([counter]) => counter.endsWith(`#${revision}`));
  return toFlow(total(own.map(([, one]) => one)));
}

/**
 * Counts the runs of a namespace that are old enough, so that later readings are fast. `readAt`: when the namespace was read,
 * milliseconds since 1970; by default now.
 */
export async function rollUp(needs: Needs, namespace: namespaces.Namespace, readAt = needs.clock.now()): Promise<void> {
  for (const aggregate of [begun, ended]) await aggregates.rollUp(needs, namespace, aggregate, readAt);
}

/** The workflow whose counters remain when it is deleted, and its last path. */
interface DeletedWorkflow {
  readonly id: string;
  readonly namespaceId: string;
  readonly path: string;
}

/** Keeps the counts of a deleted workflow in the metrics of its namespace. Deletes those of its states. */
export async function keepOf(needs: Pick<Ports, 'table'>, { id, namespaceId, path }: DeletedWorkflow): Promise<void> {
  await needs.table.write([putAt(keys.counter(namespaceId, DELETED + id), { path })]);
  await aggregates.deleteCounters(needs, namespaceId, ended, counterNames.ofFlows(id));
}

/**
 * Moves marks of the future back to the present, which a clock that was ahead has left. To be called only while no other
 * process works.
 */
export async function withdrawFutureMarks(needs: Needs, namespace: namespaces.Namespace): Promise<void> {
  for (const aggregate of [begun, ended]) await withdrawFuture(needs, namespace, aggregate);
}
