import { toText } from '../events/cloud-event.ts';
import type { Blobs, Clock, Table } from '../ports.ts';
import { ServiceError } from './errors.ts';
import * as events from './events.ts';
import * as keys from './keys.ts';
import type { Namespace } from './namespaces.ts';
import { type List, type ListRequest, paginate } from './pages.ts';

type Needs = { readonly table: Table; readonly blobs: Blobs; readonly clock: Clock };

const instantOf = (text: string): number => {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new ServiceError('bad-list', `'${text.slice(0, 60)}' is not an RFC 3339 time`);
  return ms;
};

const DAY_MS = 86_400_000;
const MOST_KEYS = 100;

/** The events that a namespace received in [from, to), the newest first, part by part. */
async function* received({ table, blobs }: Needs, namespaceId: string, from: number, to: number) {
  for (const pk of keys.eventBuckets(namespaceId, from, to)) {
    const range = { from: keys.eventTime(from), to: keys.eventTime(to) };
    let next: string | undefined;
    do {
      const more = { ...range, descending: true, limit: MOST_KEYS, ...(next === undefined ? {} : { next }) };
      const page = await table.query({ table: 'journal', index: 'by-time', pk, ...more });
      const items = await table.get(page.items.map((item) => ({ table: 'journal', pk: item.pk, sk: item.sk })));
      yield await Promise.all(items.flatMap((item) => (item === undefined ? [] : [events.fromItem(blobs, item)])));
      next = page.next;
    } while (next !== undefined);
  }
}

/** The events that the namespace received, the newest first (rest-api reference, A.6). */
export async function list(
  needs: Needs,
  namespace: Namespace,
  request: ListRequest,
): Promise<List<events.EventRecord>> {
  const now = needs.clock.now();
  const first = Math.max(namespace.created, now - events.RETENTION_DAYS * DAY_MS);
  const rows: events.Recorded[] = [];
  // Another computer's clock may be ahead of this one's.
  for await (const part of received(needs, namespace.id, first, now + DAY_MS)) rows.push(...part);
  const paged = paginate(rows, request, {
    orders: { RECEIVED: (row) => `${keys.eventTime(row.received)}#${row.event.id}`, ID: (row) => row.event.id },
    defaults: [{ field: 'RECEIVED', direction: 'DESC' }],
    filters: {
      'TYPE/CONTAINS': (row, value) => row.event.type.includes(value),
      'TEXT/CONTAINS': (row, value) => toText(row.event).includes(value),
      'CREATED/AFTER': (row, value) => row.received >= instantOf(value),
      'CREATED/BEFORE': (row, value) => row.received <= instantOf(value),
    },
    idOf: (row) => row.event.id,
  });
  const edges = paged.edges.map(({ node, cursor }) => ({ node: events.toRecord(node), cursor }));
  return { ...paged, results: paged.results.map(events.toRecord), edges };
}

/** An event that is not routed after so long has got lost; so far back is looked, and at so many of a namespace. */
const SLOW_MS = 60_000;
const LOOK_BACK_MS = DAY_MS;
const MOST_LOOKED_AT = 10_000;

/** The events of the last day that are due for more than a minute and were taken to nobody, the newest first. */
export async function* lost(needs: Needs, namespaceId: string) {
  const to = needs.clock.now() - SLOW_MS;
  let looked = 0;
  for await (const part of received(needs, namespaceId, to - LOOK_BACK_MS, to)) {
    yield part.filter(({ isRouted, due }) => !isRouted && due <= to);
    looked += part.length;
    if (looked >= MOST_LOOKED_AT) return;
  }
}
