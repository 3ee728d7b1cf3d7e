import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';
import { DAY_MS } from '../../time/units.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { cursorOf, cutOf, idIn, type List, paginate, type Sorting, spanOf, toList } from '../storage/lists.ts';
import type { Range } from '../storage/queries.ts';
import { readCut, readWindow, type Span } from '../storage/windows.ts';
import * as events from './events.ts';
import {
  type Criteria,
  criteriaOf,
  type EventRecord,
  narrowed,
  type Row,
  rangesOf,
  read,
  rowOf,
  scan,
  toRecord,
} from './rows.ts';

type Needs = Pick<Ports, 'table' | 'blobs' | 'clock'>;

/** The maximum number of events of a reply. */
const MAX_ROWS = 1000;

/** The rows of a page, the number of the first one, and the number of all rows that pass the filters. */
interface Shown {
  readonly rows: readonly Row[];
  readonly from: number;
  readonly total: number;
}

/** Whether rows are filtered by a text; those by time are bounds of the ranges. */
const hasTexts = ({ types, texts }: Criteria): boolean => types.length + texts.length > 0;

/** Reads the rows of a span; the rows outside are counted. */
async function windowOf(
  needs: Needs,
  ranges: readonly Range[],
  criteria: Criteria,
  { from, to }: Span,
): Promise<Shown> {
  if (!hasTexts(criteria)) {
    const { items, total } = await readWindow(needs.table, ranges, { from, to });
    return { rows: items.map(rowOf), from: Math.min(from, total), total };
  }
  const rows: Row[] = [];
  let total = 0;
  for await (const some of scan(needs, ranges, criteria)) {
    rows.push(...some.slice(Math.max(from - total, 0), Math.max(to - total, 0)));
    total += some.length;
  }
  return { rows, from: Math.min(from, total), total };
}

/** A cursor contains the id of an event; rows have it as it is in keys. */
const cursorOfRow = (cursor: string | undefined): string | undefined =>
  cursor === undefined ? undefined : cursorOf(keys.eventIdPart(idIn(cursor)));

const SORTING: Sorting<Row> = {
  orders: { RECEIVED: (row) => row.time, ID: (row) => row.id },
  defaults: [{ field: 'RECEIVED', direction: 'DESC' }],
  filters: {},
  idOf: (row) => row.id,
};

/** Another order than that of the index, or a cursor with a filter, requires the keys of all rows in memory. */
async function sortedOf(
  needs: Needs,
  ranges: readonly Range[],
  criteria: Criteria,
  request: ListRequest,
): Promise<Shown> {
  const all: Row[] = [];
  for await (const some of scan(needs, ranges, criteria)) all.push(...some);
  const { cursor } = request;
  const ofRows = cursor && { ...cursor, after: cursorOfRow(cursor.after), before: cursorOfRow(cursor.before) };
  const { results, pageInfo } = paginate(
    all,
    omitUndefined({ ...request, cursor: ofRows && omitUndefined(ofRows) }),
    SORTING,
  );
  const [first] = results;
  const from = first === undefined ? Math.min(Math.max(request.offset, 0), all.length) : all.indexOf(first);
  return { rows: results.slice(0, MAX_ROWS), from, total: pageInfo.total };
}

/** The direction of a list in the order of the index; undefined for another order. */
function isDescending({ order }: ListRequest): boolean | undefined {
  const [first, ...others] = order.filter(({ field }) => Object.hasOwn(SORTING.orders, field));
  if (others.length > 0) return undefined;
  if (first === undefined) return true;
  return first.field === 'RECEIVED' ? first.direction !== 'ASC' : undefined;
}

interface Listing {
  readonly ranges: readonly Range[];
  readonly criteria: Criteria;
  readonly request: ListRequest;
  /** Undefined: not in the order of the index. */
  readonly descending: boolean | undefined;
}

async function shownOf(needs: Needs, { ranges, criteria, request, descending }: Listing): Promise<Shown> {
  if (descending === undefined) return sortedOf(needs, ranges, criteria, request);
  if (request.cursor === undefined) return windowOf(needs, ranges, criteria, spanOf(request, MAX_ROWS));
  if (hasTexts(criteria)) return sortedOf(needs, ranges, criteria, request);
  const { items, from, total } = await readCut(needs.table, ranges, cutOf(request, MAX_ROWS));
  return { rows: items.map(rowOf), from, total };
}

/**
 * Lists the events that the namespace received, the newest first: at most a thousand, and at most 32 Mi characters of them
 * (rest-api reference, A.6). Without a filter by text only the events of the page are read; with one, page by page, those that
 * the index does not exclude.
 */
export async function list(needs: Needs, namespace: Namespace, request: ListRequest): Promise<List<EventRecord>> {
  const now = needs.clock.now();
  const oldest = Math.max(namespace.created, now - events.RETENTION_DAYS * DAY_MS);
  // The clock of another computer may be ahead of this one.
  const period = narrowed(request, { from: oldest, to: now + DAY_MS });
  const criteria = criteriaOf(request);
  const descending = isDescending(request);
  const ranges = rangesOf(namespace, period, descending ?? true);
  const { rows, from, total } = await shownOf(needs, { ranges, criteria, request, descending });
  const records = (await read(needs, rows)).map(toRecord);
  const positionOf = ({ id, receivedAt }: EventRecord) => keys.eventOrder(id, Date.parse(receivedAt));
  return toList(request, records, { from, total, idOf: ({ id }) => id, positionOf });
}
