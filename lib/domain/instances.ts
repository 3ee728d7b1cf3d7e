import { isObject, toPrettyJson } from '../language/json.ts';
import type { Blobs, Clock, Table } from '../ports.ts';
import { notFound, ServiceError } from './errors.ts';
import { toTimestamp } from './instants.ts';
import * as keys from './keys.ts';
import type { Namespace } from './namespaces.ts';
import * as namespaces from './namespaces.ts';
import { type List, type ListRequest, paginate, type Sorting, toList } from './pages.ts';
import * as runs from './runs.ts';

export interface InstanceRecord {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly id: string;
  readonly as: string;
  readonly status: runs.Status;
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly invoker: string;
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

const LONGEST_UUID = 36;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The wire form (rest-api reference, 7.1). */
export function toRecord(run: runs.Head): InstanceRecord {
  return {
    createdAt: toTimestamp(run.created),
    updatedAt: toTimestamp(run.updated),
    id: run.id,
    as: run.as,
    status: run.status,
    errorCode: run.code,
    errorMessage: run.message,
    invoker: run.invoker,
  };
}

function needUuid(id: string): void {
  if (id.length !== LONGEST_UUID) throw new ServiceError('refused', `invalid UUID length: ${id.length}`);
  if (!UUID.test(id)) throw new ServiceError('refused', 'invalid UUID format');
}

/** A run of the namespace. Throws `not-found`, and `refused` for an id that is no UUID. */
export async function need(ports: Needs, namespaceName: string, id: string): Promise<runs.Run> {
  const namespace = await namespaces.need(ports, namespaceName);
  needUuid(id);
  const run = await runs.find(ports, id.toLowerCase());
  if (run === undefined || run.namespaceId !== namespace.id) throw notFound('instance');
  return run;
}

/** Which of a run's parts GET instance shows besides its record (rest-api reference, 7.3). */
export function toDetail(run: runs.Run) {
  const path = run.path.slice(1);
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const invokedBy = run.invoker.startsWith('instance:') ? run.invoker.slice('instance:'.length) : '';
  return {
    namespace: run.namespace,
    instance: toRecord(run),
    invokedBy,
    flow: run.flow,
    workflow: { path, name: path.slice(parent === '' ? 0 : parent.length + 1), parent, revision: run.revision },
  };
}

const withoutPrivate = ({ private: _, ...shown }: Record<string, unknown>): Record<string, unknown> => shown;

/** The output of a run that has one, without the key `private`. */
export function outputOf(run: runs.Run): Record<string, unknown> | undefined {
  const hasOutput = run.status === 'complete' || (run.status === 'failed' && run.raised?.code === run.code);
  return hasOutput ? withoutPrivate({ ...run.data }) : undefined;
}

/** What the output view shows: nothing before the end, nor of a run that failed on the way. */
export function outputBytesOf(run: runs.Run): Uint8Array {
  const output = outputOf(run);
  return output === undefined ? new Uint8Array() : Buffer.from(toPrettyJson(output));
}

/** What the input view shows: an object without `private`, anything else as it came. */
export function inputOf(run: runs.Run): Uint8Array {
  try {
    const value: unknown = JSON.parse(Buffer.from(run.input).toString());
    return isObject(value) ? Buffer.from(toPrettyJson(withoutPrivate(value))) : run.input;
  } catch {
    return run.input;
  }
}

/** The reply of the input and output views (rest-api reference, 7.4). */
export function toData(run: runs.Run, bytes: Uint8Array) {
  return { namespace: run.namespace, instance: toRecord(run), data: Buffer.from(bytes).toString('base64') };
}

const CANCELLED = /\.cancels\.(api|parent)$/;

const statusOf = (head: runs.Head): string => (CANCELLED.test(head.code) ? 'cancelled' : head.status);
const pathOf = (text: string): string => text.replace(/^\//, '');
const instantOf = (text: string): number => {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new ServiceError('refused', `'${text.slice(0, 60)}' is not an RFC 3339 time`);
  return ms;
};

/** rest-api reference, 2.3; AFTER and BEFORE include the instant itself. */
const SORTING: Sorting<runs.Head> = {
  orders: { CREATED: (head) => head.id, ID: (head) => head.id },
  defaults: [
    { field: 'CREATED', direction: 'DESC' },
    { field: 'ID', direction: 'DESC' },
  ],
  filters: {
    'AS/CONTAINS': (head, value) => head.as.includes(value),
    'AS/WORKFLOW': (head, value) => pathOf(head.as).startsWith(pathOf(value)),
    'CREATED/AFTER': (head, value) => head.created >= instantOf(value),
    'CREATED/BEFORE': (head, value) => head.created <= instantOf(value),
    'STATUS/MATCH': (head, value) => head.status === value || statusOf(head) === value,
    'STATUS/CONTAINS': (head, value) => head.status.includes(value) || statusOf(head).includes(value),
    'TRIGGER/MATCH': (head, value) => head.invoker === value || head.invoker.startsWith(`${value}:`),
    'TRIGGER/CONTAINS': (head, value) => head.invoker.includes(value),
  },
  idOf: (head) => head.id,
};

function* daysOf(namespace: Namespace, now: number): Generator<number> {
  const first = Math.max(namespace.created, now - 2 * runs.RETENTION_DAYS * 86_400_000);
  for (let day = now; keys.dayOf(day) >= keys.dayOf(first); day -= 86_400_000) yield day;
}

interface Scan {
  /** Rows to read out; what lies beyond is only counted. */
  readonly from: number;
  readonly to: number;
}

async function headsOfDay(table: Table, namespaceId: string, day: number): Promise<runs.Head[]> {
  const heads: runs.Head[] = [];
  let next: string | undefined;
  do {
    const pk = keys.instancesOf(namespaceId, day);
    const page = await table.query({
      table: 'runs',
      index: 'by-namespace',
      pk,
      descending: true,
      ...(next === undefined ? {} : { next }),
    });
    heads.push(...page.items.map(runs.toHead));
    next = page.next;
  } while (next !== undefined);
  return heads;
}

async function countDay(table: Table, namespaceId: string, day: number): Promise<number> {
  let count = 0;
  let next: string | undefined;
  do {
    const pk = keys.instancesOf(namespaceId, day);
    const more = next === undefined ? {} : { next };
    const page = await table.query({ table: 'runs', index: 'by-namespace', pk, count: true, ...more });
    count += page.count;
    next = page.next;
  } while (next !== undefined);
  return count;
}

/** The newest rows of [from, to) and how many there are in all; days outside the range are counted, not read. */
async function scan(table: Table, namespace: Namespace, now: number, { from, to }: Scan) {
  const rows: runs.Head[] = [];
  let total = 0;
  for (const day of daysOf(namespace, now)) {
    const isWanted = total < to;
    const heads = isWanted ? await headsOfDay(table, namespace.id, day) : undefined;
    const count = heads?.length ?? (await countDay(table, namespace.id, day));
    if (heads !== undefined) rows.push(...heads.slice(Math.max(from - total, 0), Math.max(to - total, 0)));
    total += count;
  }
  return { rows, total };
}

/** The pending instances of a namespace, found day by day. */
export async function* pendingOf({ table, clock }: { table: Table; clock: Clock }, namespace: Namespace) {
  for (const day of daysOf(namespace, clock.now())) {
    for (const head of await headsOfDay(table, namespace.id, day)) if (head.status === 'pending') yield head;
  }
}

const isPlain = ({ order, filter, cursor }: ListRequest): boolean =>
  order.length === 0 && filter.every(({ val }) => val === '') && cursor === undefined;

/** Whether there are instances to compare with or not, a time that is none is a mistake. */
function needInstants({ filter }: ListRequest): void {
  for (const { field, type, val } of filter) {
    if (field === 'CREATED' && (type === 'AFTER' || type === 'BEFORE') && val !== '') instantOf(val);
  }
}

/** Instances of a namespace, newest first. */
export async function list(
  { table, clock }: { table: Table; clock: Clock },
  namespaceName: string,
  request: ListRequest,
): Promise<List<InstanceRecord>> {
  const namespace = await namespaces.need({ table }, namespaceName);
  const place = { idOf: (row: InstanceRecord) => row.id };
  needInstants(request);
  if (isPlain(request)) {
    const from = Math.max(request.offset, 0);
    const to = request.limit > 0 ? from + request.limit : Number.POSITIVE_INFINITY;
    const { rows, total } = await scan(table, namespace, clock.now(), { from, to });
    return toList(request, rows.map(toRecord), { ...place, from: Math.min(from, total), total });
  }
  const { rows } = await scan(table, namespace, clock.now(), { from: 0, to: Number.POSITIVE_INFINITY });
  const paged = paginate(rows, request, SORTING);
  return { ...paged, ...mapped(paged) };
}

function mapped(list: List<runs.Head>): Pick<List<InstanceRecord>, 'results' | 'edges'> {
  return {
    results: list.results.map(toRecord),
    edges: list.edges.map(({ node, cursor }) => ({ node: toRecord(node), cursor })),
  };
}
