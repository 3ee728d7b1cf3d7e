import { parseJson } from '../../language/json-numbers.ts';
import type { Labels } from '../../language/labels.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Table } from '../../ports/table.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as namespaces from '../namespaces/namespaces.ts';
import * as runs from '../runs/runs.ts';
import { batchesOf } from '../storage/batches.ts';
import type { Label } from '../storage/keys/label-keys.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { idIn, type List, MAX_PAGE_ROWS, passes, toList } from '../storage/lists.ts';
import { pagesOf, readPage } from '../storage/queries.ts';
import { FILTERS, needKnown, periodOf, wantedLabels, whereOf } from './filters.ts';
import { type Listed, type Period, rangesOf } from './rows.ts';

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

/** The label by whose index runs are found; undefined: the request has no label with a value. */
const indexedLabel = (wanted: Wanted): Label | undefined => wanted.find((one): one is Label => one.value !== undefined);

/** The runs that have the labels, in their order. */
async function labelled(table: Table, heads: readonly runs.Head[], wanted: Wanted): Promise<runs.Head[]> {
  if (wanted.length === 0) return [...heads];
  const items = await itemsOf(table, heads);
  return heads.filter((_, index) => hasAll(labelsAt(items[index]), wanted));
}

const labelsAt = (item: Item | undefined): Labels | undefined => (item === undefined ? undefined : runs.labelsIn(item));

/** The items of runs in their order; undefined for one that is not stored. */
async function itemsOf(table: Table, rows: readonly { readonly id: string }[]): Promise<(Item | undefined)[]> {
  const batches = batchesOf(rows, KEYS_PER_READ).map((batch) => table.get(batch.map(({ id }) => keys.run(id))));
  return (await Promise.all(batches)).flat();
}

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
  const { created } = parseJson(Buffer.from(cursor, 'base64').toString()) as { readonly created?: unknown };
  if (typeof created === 'number') return { id, created };
  const [item] = await table.get([keys.run(id)]);
  return item === undefined ? undefined : { id, created: Number(item['created']) };
}

/** The source of a list: rows in the order of `runOrder`, and how the instances among them are selected. */
interface Source {
  readonly ranges: readonly Listed[];
  readonly perRead: number;
  /** The instances of the rows that pass all filters, and how many of their runs were read for that. */
  readonly select: (items: readonly Item[]) => Promise<{ readonly heads: runs.Head[]; readonly read: number }>;
}

/** The rows of all instances, which have all attributes that filters need, except labels. */
function allRows(table: Table, ranges: readonly Listed[], request: ListRequest): Source {
  const wanted = wantedLabels(request);
  const select = async (items: readonly Item[]) => {
    const passing = items.map(runs.toHead).filter((head) => passes(head, request, FILTERS));
    return { heads: await labelled(table, passing, wanted), read: wanted.length === 0 ? 0 : passing.length };
  };
  return { ranges, perRead: ROWS_PER_READ, select };
}

/** The rows of the index of labels, which name runs; one whose first commit failed is not stored. */
function labelledRows(table: Table, ranges: readonly Listed[], request: ListRequest): Source {
  const wanted = wantedLabels(request);
  const select = async (items: readonly Item[]) => {
    const found = await itemsOf(
      table,
      items.map((item) => ({ id: String(item['id']) })),
    );
    const heads = found.flatMap((item) =>
      item !== undefined && hasAll(runs.labelsIn(item), wanted) ? [runs.toHead(item)] : [],
    );
    return { heads: heads.filter((head) => passes(head, request, FILTERS)), read: items.length };
  };
  return { ranges, perRead: KEYS_PER_READ, select };
}

/** The source of the instances of a period that may pass the filters of a request. */
async function sourceOf(needs: Needs, namespace: Namespace, request: ListRequest, period: Period): Promise<Source> {
  const label = indexedLabel(wantedLabels(request));
  const ranges = await rangesOf(needs, namespace, period, label);
  return (label === undefined ? allRows : labelledRows)(needs.table, ranges, request);
}

/** Yields the rows of a source, the newest first, after a place; some in each reading. */
async function* rowsAfter(table: Table, { ranges, perRead }: Source, place: Place | undefined): AsyncGenerator<Item[]> {
  const last = place === undefined ? undefined : keys.runOrder(place.created, place.id);
  for (const range of ranges) {
    const to = last === undefined || (range.to !== undefined && range.to < last) ? range.to : last;
    let next: string | undefined;
    do {
      const page = await readPage(table, { ...range, to, descending: true }, { limit: perRead, next });
      const rows = page.items.filter((item) => last === undefined || String(item[range.order]) < last);
      if (rows.length > 0) yield rows;
      next = page.next;
    } while (next !== undefined);
  }
}

/** The result of a search, and the place where it continues; undefined at the end of the list. */
interface Found {
  readonly heads: readonly runs.Head[];
  readonly next: Place | undefined;
}

async function search(table: Table, source: Source, place: Place | undefined, rows: number): Promise<Found> {
  const heads: runs.Head[] = [];
  let [examined, read] = [0, 0];
  for await (const items of rowsAfter(table, source, place)) {
    const selected = await source.select(items);
    heads.push(...selected.heads);
    if (heads.length > rows) return { heads: heads.slice(0, rows), next: heads[rows - 1] };
    examined += items.length;
    read += selected.read;
    const last = items.at(-1);
    if (last !== undefined && (examined >= MAX_EXAMINED || read >= MAX_LABELS_READ)) {
      // A row of the index of labels has the id of its run, one of the runs has its key.
      return { heads, next: { id: String(last['id'] ?? keys.runIdIn(last.pk)), created: Number(last['created']) } };
    }
  }
  return { heads, next: undefined };
}

/**
 * Searches the instances of a namespace, the newest first, after the cursor of the page before. The work of a request is
 * bounded: a page may have fewer rows than its limit, even none, while `hasNextPage` is true and the next page continues at
 * `endCursor`. `total` counts the rows up to the end of the page, and one more if there may be more.
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
  const source = await sourceOf(needs, namespace, request, { ...period, to });
  const skipped = Math.max(offset, 0);
  const found = await search(needs.table, source, place, skipped + rows);
  const heads = found.heads.slice(skipped);
  const total = found.heads.length + (found.next === undefined ? 0 : 1);
  const list = toList(request, heads, { idOf: ({ id }) => id, from: skipped, total });
  const endCursor = found.next === undefined ? list.pageInfo.endCursor : placeText(found.next);
  return { ...list, pageInfo: { ...list.pageInfo, hasNextPage: found.next !== undefined, endCursor } };
}

/**
 * Yields the instances of a namespace that pass the filters of a request, the oldest first. Throws `not-found`, `refused`,
 * and `malformed` for a filter that is unknown. `mayGoOn` is asked after each page of the table, which may have no match.
 */
export async function* matching(
  needs: Needs,
  namespaceName: string,
  request: ListRequest,
  mayGoOn = () => true,
): AsyncGenerator<runs.Head> {
  needKnown(request);
  const namespace = await namespaces.need(needs, namespaceName);
  const { ranges, select, perRead } = await sourceOf(needs, namespace, request, periodOf(request));
  const { where } = whereOf(request);
  for (const range of ranges.toReversed()) {
    // Rows of the index of labels have no attribute that a condition could compare.
    const selected = range.table === 'runs' ? { where } : { limit: perRead };
    for await (const items of pagesOf(needs.table, { ...range, ...selected })) {
      yield* (await select(items)).heads;
      if (!mayGoOn()) return;
    }
  }
}
