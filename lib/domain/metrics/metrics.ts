import type { Clock } from '../../ports/clock.ts';
import type { Table } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import * as namespaces from '../namespaces/namespaces.ts';
import { readAll } from '../storage/items.ts';
import * as keys from '../storage/keys.ts';
import * as nodes from '../tree/nodes.ts';
import * as refs from '../tree/refs.ts';
import { executionsOf, toFlow } from './flow-metrics.ts';
import * as ledgers from './ledgers.ts';
import { accounts, begun, ended, HOURS_KEPT_DAYS, hourOf } from './run-counts.ts';
import { numberAt, plus, type Sums, sumsAt } from './sums.ts';

type Needs = { readonly table: Table; readonly clock: Clock };

/** What is asked about: its name behind the brand, which ledger knows it, and the value of an account. */
interface Metric {
  readonly name: string;
  readonly ledger: ledgers.Ledger;
  /** 0: there is nothing to tell. */
  readonly readOut: (sums: Sums) => number;
  /** Tells whether there is a value where it may be 0; else a value of 0 is none. */
  readonly isThere?: (sums: Sums) => boolean;
}

const runsOver = (sums: Sums): number => numberAt(sums, 'done') + numberAt(sums, 'failed');

/** rest-api reference, 13; `failed` counts runs, whatever the specification calls it (appendix D). */
export const METRICS = {
  invoked: { name: 'workflows_invoked_total', ledger: begun, readOut: (sums) => numberAt(sums, 'runs') },
  successful: { name: 'workflows_success_total', ledger: ended, readOut: (sums) => numberAt(sums, 'done') },
  failed: { name: 'workflows_failed_total', ledger: ended, readOut: (sums) => numberAt(sums, 'failed') },
  milliseconds: {
    name: 'workflows_total_milliseconds_sum',
    ledger: ended,
    readOut: (sums) => numberAt(sums, 'ms'),
    isThere: (sums) => runsOver(sums) > 0,
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

/** Who asks: how metrics are called, and of which namespace they are. */
interface Naming {
  readonly brand: string;
  readonly namespace: string;
}

const labelsOf = ({ brand, namespace }: Naming, path: string): Record<string, string> => ({
  [`${brand}_namespace`]: namespace,
  [`${brand}_tenant`]: namespace,
  [`${brand}_workflow`]: path,
});

/** What is not there has no series: nobody's mistake (rest-api reference, 13). */
async function orNothing<T>(find: Promise<T>): Promise<T | undefined> {
  return find.catch((error: unknown) => {
    const isMissing = error instanceof ServiceError && ['not-found', 'refused'].includes(error.code);
    if (isMissing) return undefined;
    throw error;
  });
}

const ABREAST = 16;

/** Where each workflow of the namespace stands now: id -> path. */
async function pathsOf(table: Table, namespace: namespaces.Namespace): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  const open: nodes.Node[] = [nodes.rootOf(namespace)];
  while (open.length > 0) {
    const level = open.splice(0, ABREAST);
    const children = await Promise.all(
      level.map(async ({ id, path }) =>
        (await readAll(table, keys.directory(id))).map((item) => nodes.fromItem(item, path)),
      ),
    );
    for (const node of children.flat()) {
      if (node.type === 'directory') open.push(node);
      else paths.set(node.id, node.path);
    }
  }
  return paths;
}

function toVector(
  { readOut, isThere, name }: Metric,
  naming: Naming,
  sums: readonly (readonly [path: string, Sums])[],
  now: number,
): Vector {
  const hasValue = isThere ?? ((one: Sums) => readOut(one) > 0);
  const results = sums
    .filter(([, one]) => hasValue(one))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, one]) => ({
      metric: { __name__: `${naming.brand}_${name}`, ...labelsOf(naming, path) },
      value: [now / 1000, String(readOut(one))] as const,
    }));
  return { results, warnings: null };
}

/** The metric of each workflow of a namespace; of one that is not there, none. */
export async function ofNamespace(needs: Needs, naming: Naming, metric: MetricName): Promise<Vector> {
  const namespace = await orNothing(namespaces.need(needs, naming.namespace));
  if (namespace === undefined) return EMPTY;
  const kind: Metric = METRICS[metric];
  const prefix = accounts.ofWorkflow('');
  const [sums, paths] = await Promise.all([
    ledgers.read(needs, namespace, kind.ledger, { prefix }),
    pathsOf(needs.table, namespace),
  ]);
  const known = [...paths].map(([id, path]) => [path, sums.get(prefix + id) ?? {}] as const);
  return toVector(kind, naming, known, needs.clock.now());
}

const findWorkflow = (needs: Needs, { namespace }: Naming, path: string) =>
  orNothing(nodes.needWorkflow(needs, namespace, path));

/** The metric of one workflow; of one that is not there, none. */
export async function ofWorkflow(needs: Needs, naming: Naming, path: string, metric: MetricName): Promise<Vector> {
  const place = await findWorkflow(needs, naming, path);
  if (place === undefined) return EMPTY;
  const kind: Metric = METRICS[metric];
  const account = accounts.ofWorkflow(place.node.id);
  const sums = await ledgers.read(needs, place.namespace, kind.ledger, { prefix: account });
  return toVector(kind, naming, [[place.node.path, sums.get(account) ?? {}]], needs.clock.now());
}

const total = (sums: Iterable<Sums>): Sums => [...sums].reduce((sum, one) => plus(sum, one), {});

/** How many milliseconds each state of a workflow takes on average, over all its revisions. */
export async function ofStates(needs: Needs, naming: Naming, path: string): Promise<Vector> {
  const place = await findWorkflow(needs, naming, path);
  if (place === undefined) return EMPTY;
  const prefix = accounts.ofRevision(place.node.id, '');
  const flow = total((await ledgers.read(needs, place.namespace, ended, { prefix })).values());
  const states = sumsAt(flow, 'states');
  const seconds = needs.clock.now() / 1000;
  const results = Object.keys(states).flatMap((state) => {
    const count = executionsOf(sumsAt(states, state));
    const metric = { ...labelsOf(naming, place.node.path), state };
    const mean = numberAt(sumsAt(states, state), 'ms') / count;
    return count === 0 ? [] : [{ metric, value: [seconds, String(mean)] as const }];
  });
  return { results, warnings: null };
}

const MS_OF_A_DAY = 86_400_000;

/**
 * How the runs of a revision moved from state to state: of those that ended in the last `since` milliseconds, reckoned
 * from the beginning of an hour, or of all. Looking back further than hours are kept is looking at all. Throws
 * `not-found`, `refused`.
 */
export async function flowOf(needs: Needs, naming: Naming, path: string, ref: string, since: number | undefined) {
  const { namespace, node } = await nodes.needWorkflow(needs, naming.namespace, path);
  const revision = await refs.resolve(needs, node, ref);
  const isEver = since === undefined || since > HOURS_KEPT_DAYS * MS_OF_A_DAY;
  const first = isEver ? 0 : needs.clock.now() - since;
  const range = isEver
    ? { prefix: accounts.ofRevision(node.id, revision) }
    : { from: accounts.ofHour(node.id, hourOf(first), ''), to: accounts.ofHour(node.id, LAST_HOUR, '') };
  const sums = await ledgers.read(needs, namespace, ended, range);
  const own = [...sums].filter(([account]) => account.endsWith(`#${revision}`));
  return toFlow(total(own.map(([, one]) => one)));
}

/** Before `ever`, after every hour. */
const LAST_HOUR = '9999';

/** Counts what ended in a namespace, so that nobody has to do it who asks. */
export async function settle(needs: Needs, namespace: namespaces.Namespace): Promise<void> {
  for (const ledger of [begun, ended]) await ledgers.settle(needs, namespace, ledger);
}

/** Removes what was counted of a workflow that is gone. */
export async function forget(needs: { readonly table: Table }, namespaceId: string, workflowId: string): Promise<void> {
  for (const { name } of [begun, ended]) {
    await ledgers.forget(needs, namespaceId, `${name}#${accounts.ofWorkflow(workflowId)}`);
  }
  await ledgers.forget(needs, namespaceId, `${ended.name}#flow#${workflowId}#`);
}
