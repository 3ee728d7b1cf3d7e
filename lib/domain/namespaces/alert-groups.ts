import type { Ports } from '../../ports/ports.ts';
import type { Item, Key } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { DAY_MS, MINUTE_MS } from '../../time/units.ts';
import { putAt } from '../storage/batches.ts';
import { retryOnConflict } from '../storage/conflicts.ts';
import { alertGroup } from '../storage/keys/alert-keys.ts';

/** An alert that asks whether it may be sent. */
export interface Asking {
  readonly workflowId: string;
  /** The name of its event, by which a delivery that is repeated gets the same decision. */
  readonly name: string;
  /** The key of the delivery of its event. */
  readonly delivery: Key;
  /** A workflow has at most one alert in this time, milliseconds. */
  readonly window: number;
}

/** What becomes of an alert. */
export type Decision =
  /** It is sent, for itself and for `more` that were left out since the one before it. */
  | { readonly do: 'send'; readonly more: number }
  /** It is the first one after the one that was sent: it is sent at the end of the time, milliseconds since 1970. */
  | { readonly do: 'hold'; readonly until: number }
  /** The next alert counts it. */
  | { readonly do: 'leave out' };

/** The alerts of a workflow: the time since the last one that was sent, and those that came in it. */
interface Group {
  /** Until when no other one is sent, milliseconds since 1970. */
  readonly until: number;
  /** The name of the one that was sent last, and how many it was sent for. */
  readonly sent: string;
  readonly sentMore: number;
  /** The name of the one that is sent next; empty: none. */
  readonly held: string;
  /** How many were left out since the last one. */
  readonly more: number;
}

const NO_GROUP: Group = { until: 0, sent: '', sentMore: 0, held: '', more: 0 };

/** After this time beyond its own, a held alert is not waited for. */
const LATE_MS = 10 * MINUTE_MS;

const groupIn = (item: Item | undefined): Group =>
  item === undefined
    ? NO_GROUP
    : {
        until: Number(item['until']),
        sent: String(item['sent']),
        sentMore: Number(item['sentMore']),
        held: String(item['held']),
        more: Number(item['more']),
      };

/** The decision about an alert, and the group after it; the same group where the decision was made before. */
function decide(group: Group, { name, window }: Asking, now: number): readonly [Decision, Group] {
  const { until, sent, sentMore, held, more } = group;
  if (name === sent) return [{ do: 'send', more: sentMore }, group];
  const isOpen = now < until;
  if (isOpen && name === held) return [{ do: 'hold', until }, group];
  if (isOpen && held === '')
    return [
      { do: 'hold', until },
      { ...group, held: name },
    ];
  if (isOpen || (held !== '' && name !== held && now < until + LATE_MS)) {
    return [{ do: 'leave out' }, { ...group, more: more + 1 }];
  }
  return [
    { do: 'send', more },
    { until: now + window, sent: name, sentMore: more, held: '', more: 0 },
  ];
}

/**
 * Decides what becomes of an alert, and stores that. One that is left out is counted once: its delivery is marked as complete
 * with the same write. A repeated call makes the same decision until the next alert was sent.
 */
export function claim({ table, clock }: Pick<Ports, 'table' | 'clock'>, asking: Asking): Promise<Decision> {
  const key = alertGroup(asking.workflowId);
  return retryOnConflict(async () => {
    const [item, delivery] = await table.get([key, asking.delivery]);
    if (delivery === undefined || delivery['routed'] === true) return { do: 'leave out' };
    const before = groupIn(item);
    const [decision, after] = decide(before, asking, clock.now());
    if (after === before) return decision;
    const version = Number(item?.['version'] ?? 0);
    const when = item === undefined ? ({ absent: true } as const) : { equals: { version } };
    const ttl = toTtl(after.until + DAY_MS);
    const isOver = decision.do === 'leave out';
    await table.write([
      putAt(key, { ...after, version: version + 1, ttl }, when),
      ...(isOver
        ? [{ do: 'update', key: asking.delivery, set: { routed: true }, when: { equals: { routed: false } } } as const]
        : []),
    ]);
    return decision;
  });
}
