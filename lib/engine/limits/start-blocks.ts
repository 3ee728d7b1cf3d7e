import { RecentMap } from '../../domain/recent-map.ts';
import * as keys from '../../domain/storage/keys.ts';
import type { Ports } from '../../ports/ports.ts';
import { toTtl } from '../../time/expiry.ts';
import { HOUR_MS } from '../../time/units.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

/** What is limited is counted in periods of this length, as many as ten seconds allow. */
const PERIOD_MS = 10_000;

/** A process takes the starts of half a second at once, but not more than this. */
const MAX_BLOCK = 100;

/** How many are allowed in a period. */
const mostIn = (perSecond: number): number => (perSecond * PERIOD_MS) / 1000;

interface Lease {
  readonly period: number;
  /** Starts that this process has taken from the table and not used. */
  left: number;
  /** All starts of the period are taken. */
  isUsedUp: boolean;
}

/**
 * Limits the starts of namespaces, or their events, over all processes by a counter in the table for each period. A process
 * takes them in blocks, so that one seldom costs a call; the unused rest of its last block is lost for the period.
 */
export class StartBlocks {
  private readonly kind: 'starts' | 'events';
  /** How many a process takes in each period besides, without a call. */
  private readonly unread: number;
  /** A namespace that is forgotten loses a block of its period. */
  private readonly leases = new RecentMap<Lease>();

  constructor(kind: 'starts' | 'events' = 'starts', unread = 0) {
    this.kind = kind;
    this.unread = unread;
  }

  /**
   * Takes one start or more at once, but none beyond those of a period. Returns 0, or the milliseconds after which they can be
   * taken.
   */
  async take(needs: Needs, namespaceId: string, perSecond: number, amount = 1): Promise<number> {
    const now = needs.clock.now();
    const period = Math.floor(now / PERIOD_MS);
    const lease = this.leaseOf(namespaceId, period, perSecond);
    const wanted = Math.max(Math.min(amount, mostIn(perSecond)), 1);
    if (lease.left < wanted && !lease.isUsedUp) await this.takeBlock(needs, namespaceId, lease, { perSecond, wanted });
    if (lease.left < wanted) return (period + 1) * PERIOD_MS - now;
    lease.left -= wanted;
    return 0;
  }

  /** How many are taken a second, over the present period. */
  async taken({ table, clock }: Needs, namespaceId: string): Promise<number> {
    const [item] = await table.get([keys.takenIn(namespaceId, this.kind, Math.floor(clock.now() / PERIOD_MS))]);
    return Math.ceil((Number(item?.['count'] ?? 0) * 1000) / PERIOD_MS);
  }

  private leaseOf(namespaceId: string, period: number, perSecond: number): Lease {
    const known = this.leases.get(namespaceId);
    if (known?.period === period) return known;
    const lease = { period, left: Math.min(this.unread, perSecond), isUsedUp: false };
    this.leases.set(namespaceId, lease);
    return lease;
  }

  private async takeBlock(
    { table, clock }: Needs,
    namespaceId: string,
    lease: Lease,
    { perSecond, wanted }: { readonly perSecond: number; readonly wanted: number },
  ): Promise<void> {
    const block = Math.max(Math.min(Math.max(Math.floor(perSecond / 2), 1), MAX_BLOCK), wanted - lease.left);
    const key = keys.takenIn(namespaceId, this.kind, lease.period);
    const ttl = toTtl(clock.now() + HOUR_MS);
    await table.write([{ do: 'update', key, add: { count: block }, set: { ttl } }]);
    const [item] = await table.get([key]);
    // Others may have added their blocks meanwhile: these are counted as taken before, so never too many are taken.
    const free = mostIn(perSecond) - (Number(item?.['count'] ?? block) - block);
    lease.left += Math.min(Math.max(free, 0), block);
    lease.isUsedUp ||= free <= block;
  }
}
