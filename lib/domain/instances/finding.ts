import type { Labels } from '../../language/labels.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Table } from '../../ports/table.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as namespaces from '../namespaces/namespaces.ts';
import * as runs from '../runs/runs.ts';
import { batchesOf } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { idIn, type List, MAX_PAGE_ROWS, passes, toList } from '../storage/lists.ts';
import { type Range, readPage } from '../storage/queries.ts';
import { FILTERS, needKnown, periodOf, wantedLabels, whereOf } from './filters.ts';
import { headsOf, type Period, rangesOf, sectionsOf } from './rows.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

/** The most rows that one request examines, and those whose labels it reads. */
const MAX_EXAMINED = 10_000;
const MAX_LABELS_READ = 1_000;

const ROWS_PER_READ = 500;
const KEYS_PER_READ = 100;
const DEFAULT_ROWS = 100;

type Wanted = ReturnType<typeof wantedLabels>;

const hasAll = (labels: Labels | undefined, wanted: Wanted): boolean =>
  wanted.every(({ name, value }) => {
    const found = labels !== undefined && Object.hasOwn(labels, name) ? labels[name] : undefined;
    return found !== undefined && (value === undefined || found === value);
  });

/** The runs that have the labels, in their order. */
async function labelled(table: Table, heads: readonly runs.Head[], wanted: Wanted): Promise<runs.Head[]> {
  if (wanted.length === 0) return [...heads];
  const found: runs.Head[] = [];
  for (const batch of batchesOf(heads, KEYS_PER_READ)) {
    const items = await table.get(batch.map(({ id }) => keys.run(id)));
    found.push(...batch.filter((_, index) => hasAll(labelsAt(items[index]), wanted)));
  }
  return found;
}

const labelsAt = (item: Item | undefined): Labels | undefined => (item === undefined ? undefined : runs.labelsIn(item));

/** A place in the list: after the run with this id, which began at this time. */
interface Place {
  readonly id: string;
  readonly created: number;
}

const placeText = ({ id, created }: Place): string => Buffer.from(JSON.stringify({ id, created })).toString('base64');

/** The place of a cursor: of a search, or of a row of a list. */
async function placeOf(table: Table, cursor: string): Promise<Place | undefined> {
  const id = idIn(cursor);
  if (id === '') return undefined;
  const { created } = JSON.parse(Buffer.from(cursor, 'base64').toString()) as { readonly created?: unknown };
  if (typeof created === 'number') return { id, created };
  const [item] = await table.get([keys.run(id)]);
  return item === undefined ? undefined : { id, created: Number(item['created']) };
}

/** Yields the rows of the ranges, the newest first, after a place; some in each reading. */
async function* readingsOf(
  table: Table,
  ranges: readonly Range[],
  place: Place | undefined,
): AsyncGenerator<runs.Head[]> {
  const last = place === undefined ? undefined : keys.runOrder(place.created, place.id);
  for (const range of ranges) {
    let next: string | undefined;
    do {
      const to = last === undefined || (range.to !== undefined && range.to < last) ? range.to : last;
      const page = await readPage(table, { ...range, to, descending: true }, { limit: ROWS_PER_READ, next });
      const heads = page.items.map(runs.toHead);
      yield heads.filter(({ id, created }) => last === undefined || keys.runOrder(created, id) < last);
      next = page.next;
    } while (next !== undefined);
  }
}

/** What a search has found, and where it goes on; undefined at the end of the list. */
interface Found {
  readonly heads: readonly runs.Head[];
  readonly next: Place | undefined;
}

async function search(
  table: Table,
  readings: AsyncIterable<runs.Head[]>,
  request: ListRequest,
  rows: number,
): Promise<Found> {
  const wanted = wantedLabels(request);
  const heads: runs.Head[] = [];
  let [examined, read] = [0, 0];
  for await (const reading of readings) {
    const passing = reading.filter((head) => passes(head, request, FILTERS));
    heads.push(...(await labelled(table, passing, wanted)));
    examined += reading.length;
    read += wanted.length === 0 ? 0 : passing.length;
    if (heads.length > rows) return { heads: heads.slice(0, rows), next: heads[rows - 1] };
    const last = reading.at(-1);
    if (last !== undefined && (examined >= MAX_EXAMINED || read >= MAX_LABELS_READ)) return { heads, next: last };
  }
  return { heads, next: undefined };
}

/**
 * Searches the instances of a namespace, the newest first, after the cursor of the page before. The work of a request is
 * bounded: a page may have fewer rows than its limit, even none, while `hasNextPage` is true and `endCursor` is where the
 * next page goes on. `total` counts the rows up to the end of the page, and one more if there may be more.
 */
export async function find(
  needs: Needs,
  namespace: Namespace,
  request: ListRequest,
  period: Period,
): Promise<List<runs.Head>> {
  const { limit, offset, cursor } = request;
  const wanted = cursor?.first ?? (limit > 0 ? limit : DEFAULT_ROWS);
  const rows = Math.min(Math.max(wanted, 1), MAX_PAGE_ROWS);
  const place = cursor?.after === undefined ? undefined : await placeOf(needs.table, cursor.after);
  const to = place === undefined ? period.to : Math.min(place.created, period.to ?? place.created);
  const ranges = await rangesOf(needs, namespace, { ...period, to });
  const skipped = Math.max(offset, 0);
  const found = await search(needs.table, readingsOf(needs.table, ranges, place), request, skipped + rows);
  const heads = found.heads.slice(skipped);
  const total = found.heads.length + (found.next === undefined ? 0 : 1);
  const list = toList(request, heads, { idOf: ({ id }) => id, from: skipped, total });
  const endCursor = found.next === undefined ? list.pageInfo.endCursor : placeText(found.next);
  return { ...list, pageInfo: { ...list.pageInfo, hasNextPage: found.next !== undefined, endCursor } };
}

/**
 * Yields the instances of a namespace that pass the filters of a request, the oldest first. Throws `not-found`, `refused`,
 * and `malformed` for a filter that is unknown.
 */
export async function* matching(
  { table, clock }: Needs,
  namespaceName: string,
  request: ListRequest,
): AsyncGenerator<runs.Head> {
  needKnown(request);
  const wanted = wantedLabels(request);
  const namespace = await namespaces.need({ table }, namespaceName);
  const sections = await sectionsOf({ table, clock }, namespace, periodOf(request));
  for await (const head of headsOf(table, sections, { where: whereOf(request).where, descending: false })) {
    if (passes(head, request, FILTERS)) yield* await labelled(table, [head], wanted);
  }
}
