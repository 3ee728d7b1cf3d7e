import { RecentMap } from '../../domain/recent-map.ts';
import { RETENTION_DAYS } from '../../domain/runs/runs.ts';
import * as keys from '../../domain/storage/keys.ts';
import type { Ports } from '../../ports/ports.ts';
import { toTtl } from '../../time/expiry.ts';
import { DAY_MS } from '../../time/units.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

/** A process adds its count to the table once for this many descendants: a small tree of runs costs no calls. */
const BLOCK = 1000;

interface Family {
  /** Of all processes, when this one read it last. */
  total: number;
  /** Since then, of this process. */
  unsaved: number;
}

/** A family that is forgotten loses less than a block of its count. */
const families = new RecentMap<Family>();

function familyOf(rootId: string): Family {
  const family = families.get(rootId) ?? { total: 0, unsaved: 0 };
  families.set(rootId, family);
  return family;
}

/**
 * Counts one more descendant of a root run, and returns how many it has. The count lacks less than 1,000 of each other
 * process, and has those twice that a repeated step began.
 */
export async function countDescendant({ table, clock }: Needs, rootId: string): Promise<number> {
  const family = familyOf(rootId);
  family.unsaved += 1;
  if (family.unsaved < BLOCK) return family.total + family.unsaved;
  const { unsaved } = family;
  family.unsaved = 0;
  family.total += unsaved;
  const key = keys.descendants(rootId);
  const ttl = toTtl(clock.now() + RETENTION_DAYS * DAY_MS);
  await table.write([{ do: 'update', key, add: { count: unsaved }, set: { ttl } }]);
  const [item] = await table.get([key]);
  family.total = Number(item?.['count'] ?? family.total);
  return family.total + family.unsaved;
}
