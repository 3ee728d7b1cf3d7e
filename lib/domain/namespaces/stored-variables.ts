import type { Ports } from '../../ports/ports.ts';
import { type Condition, ConflictError, type Key, type Table, type Write } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { DAY_MS } from '../../time/units.ts';
import { sha256, timeOf } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';

/**
 * How much the variables of a namespace take. Counters follow every change in its transaction; one that changes no number of
 * KiB costs nothing. The variables of a run expire with it, and no process learns of that on AWS: they are counted by the
 * period in which the run began, and those of an old period count no longer.
 */

const KIB = 1024;

/** Runs that began in the same period are counted together. */
const PERIOD_MS = 10 * DAY_MS;

/** How many periods count: a run is kept for 30 days after its end. */
const PERIODS = 4;

/** The variables that do not expire. */
const KEPT = 'kept';

/** One item could not count all changes that are made at the same time. */
const SHARDS = 8;

/** A change of a variable; sizes in bytes, undefined where there is no variable. */
export interface SizeChange {
  readonly owner: keys.VariableOwner;
  readonly name: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

const kibOf = (bytes: number | undefined): number => (bytes === undefined ? 0 : Math.max(Math.ceil(bytes / KIB), 1));
const isKept = ({ scope }: keys.VariableOwner): boolean => scope === 'namespace' || scope === 'workflow';

const periodOf = (ms: number): number => Math.floor(ms / PERIOD_MS);
const windowOf = (owner: keys.VariableOwner): string =>
  isKept(owner) ? KEPT : String(periodOf(timeOf(owner.id)) || 0);

/** By how much a change changes what its namespace stores. */
export function growthOf({ owner, before, after }: Pick<SizeChange, 'owner' | 'before' | 'after'>): Stored {
  const count = isKept(owner) ? Number(after !== undefined) - Number(before !== undefined) : 0;
  return { bytes: (kibOf(after) - kibOf(before)) * KIB, variables: count };
}

/** The writes that count changes: part of the transaction of the changes. */
export function countingWrites(namespaceId: string, changes: readonly SizeChange[]): Write[] {
  const writes = new Map<string, Write>();
  for (const [window, all] of Map.groupBy(changes, ({ owner }) => windowOf(owner))) {
    const growths = all.map(growthOf);
    const kib = growths.reduce((sum, { bytes }) => sum + bytes / KIB, 0);
    const count = growths.reduce((sum, { variables }) => sum + variables, 0);
    if (kib === 0 && count === 0) continue;
    const shard = Number.parseInt(sha256(all[0]?.name ?? '').slice(0, 4), 16) % SHARDS;
    const key = keys.storedVariables(namespaceId, window, shard);
    const ttl = window === KEPT ? {} : { set: { ttl: toTtl((Number(window) + PERIODS + 1) * PERIOD_MS) } };
    writes.set(window, { do: 'update', key, add: { kib, count }, ...ttl });
  }
  return [...writes.values()];
}

/**
 * The condition of the write of a variable, by the size of the stored one: another request that changed it at this moment
 * has counted that.
 */
export const whenStill = (before: number | undefined): Condition =>
  before === undefined ? { absent: true } : { equals: { size: before } };

type Change = Extract<Write, { readonly do: 'put' | 'delete' }>;

const keyOf = (write: Write): Key => (write.do === 'put' ? { table: write.table, ...write.item } : write.key);
const isCounting = (write: Write): boolean => write.do === 'update' && write.add?.['kib'] !== undefined;
const isOfVariable = (write: Write): write is Change => keys.ownerIn(keyOf(write)) !== undefined;

/** The same writes, with the variables counted as they are stored now. */
async function recounted(table: Table, namespaceId: string, writes: readonly Write[]): Promise<Write[]> {
  const changes = writes.filter(isOfVariable);
  const stored = await table.get(changes.map(keyOf));
  const sizes = changes.map((write, index): SizeChange => {
    const before = stored[index] === undefined ? undefined : Number(stored[index]['size']);
    const after = write.do === 'put' ? Number(write.item['size']) : undefined;
    return { owner: keys.ownerIn(keyOf(write)) as keys.VariableOwner, name: keyOf(write).sk, before, after };
  });
  const conditions = new Map(changes.map((write, index) => [write as Write, whenStill(sizes[index]?.before)]));
  const others = writes.filter((write) => !isCounting(write));
  return [
    ...others.map(
      (write): Write => (conditions.has(write) ? ({ ...write, when: conditions.get(write) } as Write) : write),
    ),
    ...countingWrites(namespaceId, sizes),
  ];
}

/**
 * Writes changes of a run among which may be variables and what counts them. If only variables have changed since their sizes
 * were read, the changes are written again with those: the newest value stays. Throws ConflictError for any other condition.
 */
export async function writeCounted(table: Table, namespaceId: string, writes: readonly Write[]): Promise<void> {
  for (let all = writes; ; ) {
    try {
      return await table.write(all);
    } catch (error) {
      if (!(error instanceof ConflictError) || error.failed.length === 0) throw error;
      const failed = error.failed.map((index) => all[index]);
      if (!failed.every((write) => write !== undefined && isOfVariable(write))) throw error;
      all = await recounted(table, namespaceId, all);
    }
  }
}

/** What the variables of a namespace take: bytes of all, and the number of those that do not expire. */
export interface Stored {
  readonly bytes: number;
  readonly variables: number;
}

/** Reads the counters of a namespace, in one call. */
export async function readStored(
  { table, clock }: Pick<Ports, 'table' | 'clock'>,
  namespaceId: string,
): Promise<Stored> {
  const now = periodOf(clock.now());
  const windows = [KEPT, ...Array.from({ length: PERIODS }, (_, age) => String(now - age))];
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
  const wanted = windows.flatMap((window) => shards.map((shard) => keys.storedVariables(namespaceId, window, shard)));
  const items = await table.get(wanted);
  const kib = items.reduce((sum, item) => sum + Number(item?.['kib'] ?? 0), 0);
  const variables = items.reduce((sum, item) => sum + Number(item?.['count'] ?? 0), 0);
  return { bytes: Math.max(kib, 0) * KIB, variables: Math.max(variables, 0) };
}
