import { RecentMap } from '../../domain/recent-map.ts';
import * as keys from '../../domain/storage/keys.ts';
import type { Ports } from '../../ports/ports.ts';
import { toTtl } from '../../time/expiry.ts';
import { HOUR_MS } from '../../time/units.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

/** Starts are counted in periods of this length, as many as ten seconds allow. */
const PERIOD_MS = 10_000;

/** A process takes the starts of half a second at once, but not more than this. */
const MAX_BLOCK = 100;

interface Lease {
  readonly period: number;
  /** Starts that this process has taken from the table and not used. */
  left: number;
  /** All starts of the period are taken. */
  isUsedUp: boolean;
}

/**
 * Limits the starts of namespaces over all processes by a counter in the table for each period. A process takes starts in
 * blocks, so that a start seldom costs a call; the unused rest of its last block is lost for the period.
 */
export class StartBlocks {
  /** A namespace that is forgotten loses a block of its period. */
  private readonly leases = new RecentMap<Lease>();

  /** Takes one start. Returns 0, or the milliseconds after which one can be taken. */
  async take(needs: Needs, namespaceId: string, perSecond: number): Promise<number> {
    const now = needs.clock.now();
    const period = Math.floor(now / PERIOD_MS);
    const lease = this.leaseOf(namespaceId, period);
    if (lease.left === 0 && !lease.isUsedUp) await takeBlock(needs, namespaceId, lease, perSecond);
    if (lease.left === 0) return (period + 1) * PERIOD_MS - now;
    lease.left -= 1;
    return 0;
  }

  private leaseOf(namespaceId: string, period: number): Lease {
    const known = this.leases.get(namespaceId);
    if (known?.period === period) return known;
    const lease = { period, left: 0, isUsedUp: false };
    this.leases.set(namespaceId, lease);
    return lease;
  }
}

async function takeBlock({ table, clock }: Needs, namespaceId: string, lease: Lease, perSecond: number): Promise<void> {
  const most = (perSecond * PERIOD_MS) / 1000;
  const block = Math.min(Math.max(Math.floor(perSecond / 2), 1), MAX_BLOCK);
  const key = keys.startsIn(namespaceId, lease.period);
  const ttl = toTtl(clock.now() + HOUR_MS);
  await table.write([{ do: 'update', key, add: { count: block }, set: { ttl } }]);
  const [item] = await table.get([key]);
  // Others may have added their blocks meanwhile: these are counted as taken before, so never too many are taken.
  const free = most - (Number(item?.['count'] ?? block) - block);
  lease.left += Math.min(Math.max(free, 0), block);
  lease.isUsedUp ||= free <= block;
}
