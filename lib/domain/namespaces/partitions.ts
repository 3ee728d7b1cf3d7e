import type { Ports } from '../../ports/ports.ts';
import { leased } from '../../ports/table.ts';
import { SECOND_MS } from '../../time/units.ts';
import { ignoreConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import {
  knownUntil,
  MAX_PARTITIONS,
  partitionsIn,
  raise,
  type Spread,
  START_AFTER_READ_MS,
  spreadFrom,
  spreadItem,
} from '../storage/spread.ts';
import { fromItem, type Namespace } from './namespaces.ts';

/** The maximum age of a namespace that was read by a lease, as starts do (decision 7). */
const MAX_LEASE_MS = SECOND_MS;

/** The part of the limit of each partition that is used after a namespace has grown. */
const FILL = 0.75;

type Needs = Pick<Ports, 'table' | 'clock'>;
type Named = Pick<Namespace, 'id' | 'name'>;

/**
 * Gives a namespace the partitions that `next` returns for those that it has now, milliseconds since 1970; undefined: it
 * keeps them. Does nothing if the namespace was deleted. Two calls at the same time have the effect of one.
 */
export async function addPartitions(
  { table, clock }: Needs,
  { id, name }: Named,
  next: (spread: Spread | undefined, now: number) => Spread | undefined,
): Promise<void> {
  const [item] = await table.get([keys.namespace(name)]);
  if (item === undefined || item['id'] !== id) return;
  const now = clock.now();
  const spread = next(spreadFrom(item), now);
  if (spread === undefined) return;
  const updated = Number(item['updated']);
  // Of two steps at the same time one would be lost, with rows that a process has written by it.
  const set = { ...spreadItem(spread), updated: Math.max(now, updated + 1) };
  const write = { do: 'update', key: keys.namespace(name), set, when: { equals: { id, updated } } } as const;
  await ignoreConflict(table.write([write]));
}

/** Gives a namespace more partitions if its new rows are more than the installation allows in those that it has. */
export async function grow(
  ports: Needs & Pick<Ports, 'settings'>,
  namespace: Named,
  rowsPerSecond: number,
): Promise<void> {
  const most = ports.settings.limits?.partitionRows;
  if (most === undefined || rowsPerSecond <= most) return;
  await addPartitions(ports, namespace, (spread, now) => {
    const has = partitionsIn(spread);
    const partitions = Math.min(Math.ceil(rowsPerSecond / (FILL * most)), MAX_PARTITIONS);
    return rowsPerSecond <= has * most || partitions <= has ? undefined : raise(spread, partitions, now);
  });
}

/** A namespace as it was read at a time, milliseconds since 1970. */
export interface KnownHome extends keys.Home {
  readonly name: string;
  readonly readAt: number;
}

/** Returns a namespace as it is known, or as it is now if rows of the present may be in partitions that are not known. */
export async function knownNow({ table, clock }: Needs, known: KnownHome): Promise<KnownHome> {
  const now = clock.now();
  if (now < knownUntil(known.readAt - MAX_LEASE_MS)) return known;
  const [item] = await leased(table).get([keys.namespace(known.name)]);
  const namespace = item && fromItem(item);
  return { ...known, readAt: now, ...(namespace?.id === known.id ? { spread: namespace.spread } : {}) };
}

/**
 * Returns the namespace of a run with all partitions that may have rows by now: those that the run knows from its start, or
 * the present ones if it began too long ago.
 */
export function homeOf(
  needs: Needs,
  run: {
    readonly namespaceId: string;
    readonly namespace: string;
    readonly created: number;
    readonly settings: { readonly spread?: keys.Home['spread']; readonly readAt?: number };
  },
): Promise<keys.Home> {
  const { namespaceId: id, namespace: name, settings } = run;
  const readAt = settings.readAt ?? run.created - START_AFTER_READ_MS;
  return knownNow(needs, { id, name, spread: settings.spread, readAt });
}
