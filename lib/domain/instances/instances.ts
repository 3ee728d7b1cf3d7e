import { isObject, toPrettyJson } from '../../language/json.ts';
import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Table } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound, ServiceError } from '../errors.ts';
import * as namespaces from '../namespaces/namespaces.ts';
import * as runs from '../runs/runs.ts';
import { orderedId } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { idIn, type List, mapList, paginate, passes, rangeOf, type Sorting, spanOf, toList } from '../storage/lists.ts';
import type { Span } from '../storage/windows.ts';
import { FILTERS, isKnown, isSearch, isTime, periodOf, whereOf } from './filters.ts';
import { find } from './finding.ts';
import * as rows from './rows.ts';

export interface InstanceRecord {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly id: string;
  readonly as: string;
  readonly status: runs.Status;
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly invoker: string;
  /** It waits for a place in the concurrency of its workflow. */
  readonly queued?: true;
}

type Needs = Pick<Ports, 'table' | 'blobs'>;

const UUID_LENGTH = 36;
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
    ...(runs.isQueued(run) ? { queued: true } : {}),
  };
}

function needUuid(id: string): void {
  if (id.length !== UUID_LENGTH) throw new ServiceError('refused', `invalid UUID length: ${id.length}`);
  if (!UUID.test(id)) throw new ServiceError('refused', 'invalid UUID format');
}

/** Returns the run of an instance of the namespace. Throws `not-found`, and `refused` for a malformed UUID. */
export async function need(ports: Needs, namespaceName: string, id: string, extent?: runs.Extent): Promise<runs.Run> {
  const namespace = await namespaces.need(ports, namespaceName);
  needUuid(id);
  const run = await runs.find(ports, id.toLowerCase(), extent);
  const isShown = run?.namespaceId === namespace.id && run.kind === 'workflow';
  if (!isShown) throw notFound('instance');
  return run;
}

/** The reply of GET instance (rest-api reference, 7.3). */
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
    ...(run.labels === undefined ? {} : { labels: run.labels }),
  };
}

const withoutPrivate = ({ private: _, ...shown }: Record<string, unknown>): Record<string, unknown> => shown;

/** Returns the output of a run without the key `private`; undefined for a run that has none. */
export function outputOf(run: runs.Run): Record<string, unknown> | undefined {
  const hasOutput = run.status === 'complete' || (run.status === 'failed' && run.raised?.code === run.code);
  if (!hasOutput) return undefined;
  const data: Record<string, unknown> = run.data;
  return Object.hasOwn(data, 'private') ? withoutPrivate(data) : data;
}

/** The output as the output view shows it: empty before the end, and for a run that failed without one. */
export function outputBytesOf(run: runs.Run): Uint8Array {
  const output = outputOf(run);
  return output === undefined ? new Uint8Array() : Buffer.from(toPrettyJson(output));
}

/** The input as the input view shows it: an object without the key `private`, any other input unchanged. */
export function inputOf(run: runs.Run): Uint8Array {
  try {
    const value: unknown = parseJson(Buffer.from(run.input).toString());
    return isObject(value) ? Buffer.from(toPrettyJson(withoutPrivate(value))) : run.input;
  } catch {
    return run.input;
  }
}

/** The reply of the input and output views (rest-api reference, 7.4). */
export function toData(run: runs.Run, bytes: Uint8Array) {
  return { namespace: run.namespace, instance: toRecord(run), data: Buffer.from(bytes).toString('base64') };
}

/** The orders and filters of the list (rest-api reference, 2.3). */
const SORTING: Sorting<runs.Head> = {
  orders: { CREATED: (head) => keys.runOrder(head.created, head.id), ID: (head) => orderedId(head.id) },
  defaults: [
    { field: 'CREATED', direction: 'DESC' },
    { field: 'ID', direction: 'DESC' },
  ],
  filters: FILTERS,
  idOf: (head) => head.id,
};

/** The direction of a list in the order of the index; undefined for another order. */
function directionOf({ order }: ListRequest): 'ASC' | 'DESC' | undefined {
  const [first, ...rest] = order.filter(({ field }) => Object.hasOwn(SORTING.orders, field));
  if (first === undefined) return 'DESC';
  if (first.field !== 'CREATED' || rest.length > 0) return undefined;
  return first.direction === 'ASC' ? 'ASC' : 'DESC';
}

const idOf = ({ id }: InstanceRecord): string => id;

/** The page of a list without filters but those by time. The rows outside the page are counted. */
async function page(
  table: Table,
  sections: readonly rows.Section[],
  request: ListRequest,
  descending: boolean,
): Promise<List<InstanceRecord>> {
  const total = sections.reduce((sum, { count }) => sum + count, 0);
  const cursors = [request.cursor?.after, request.cursor?.before].filter((one) => one !== undefined);
  const ranks = new Map<string, number>();
  for (const cursor of cursors) {
    const id = idIn(cursor);
    const rank = UUID.test(id) ? await rows.rankOf(table, sections, id, descending) : undefined;
    if (rank !== undefined) ranks.set(cursor, rank);
  }
  const range = rangeOf(request, total, (cursor) => ranks.get(cursor) ?? -1);
  const heads = await rows.slice(table, sections, range, descending);
  return toList(request, heads.map(toRecord), { idOf, from: range[0], total });
}

/** The page of a filtered list. The instances of the period that are not on the page are counted. */
async function search(
  table: Table,
  sections: readonly rows.Section[],
  request: ListRequest,
  descending: boolean,
): Promise<List<InstanceRecord>> {
  const { where, isExact } = whereOf(request);
  const span = spanOf(request);
  const passesFilters = (head: runs.Head) => passes(head, request, SORTING.filters);
  const { heads, total } = isExact
    ? await rows.sliceWhere(table, sections, { where, span, descending })
    : await sliceOf(rows.headsOf(table, sections, { where, descending }), passesFilters, span);
  return toList(request, heads.map(toRecord), { idOf, from: Math.min(span.from, total), total });
}

/** The rows [from, to) of those that pass, and the number of all that pass. */
async function sliceOf(
  all: AsyncIterable<runs.Head>,
  passesFilters: (head: runs.Head) => boolean,
  { from, to }: Span,
): Promise<rows.Slice> {
  const heads: runs.Head[] = [];
  let total = 0;
  for await (const head of all) {
    if (!passesFilters(head)) continue;
    if (total >= from && total < to) heads.push(head);
    total += 1;
  }
  return { heads, total };
}

/**
 * Lists the instances of a namespace, by default the newest first. A filter that only Weft has makes it a search (see
 * `find`). Throws `not-found`, `refused`.
 */
export async function list(
  { table, clock }: Pick<Ports, 'table' | 'clock'>,
  namespaceName: string,
  request: ListRequest,
): Promise<List<InstanceRecord>> {
  const namespace = await namespaces.need({ table }, namespaceName);
  const period = periodOf(request);
  if (isSearch(request)) return mapList(await find({ table, clock }, namespace, request, period), toRecord);
  const sections = await rows.sectionsOf({ table, clock }, namespace, period);
  const direction = directionOf(request);
  const isPlain = request.filter.every((one) => one.val === '' || isTime(one) || !isKnown(one));
  if (direction !== undefined && isPlain) return page(table, sections, request, direction === 'DESC');
  if (direction !== undefined && request.cursor === undefined) {
    return search(table, sections, request, direction === 'DESC');
  }
  const heads: runs.Head[] = [];
  for await (const head of rows.headsOf(table, sections)) heads.push(head);
  return mapList(paginate(heads, request, SORTING), toRecord);
}
