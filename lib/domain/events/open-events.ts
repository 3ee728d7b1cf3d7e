import type { Ports } from '../../ports/ports.ts';
import { DAY_MS, HOUR_MS } from '../../time/units.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as partitions from '../namespaces/partitions.ts';
import { getAll } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import type { OpenKind } from '../storage/open-items.ts';
import { rangesOf, rowOf } from './rows.ts';

/** The bus tries for a day; then the delivery is a dead letter, which a user may deliver again. */
const GIVEN_UP_MS = DAY_MS + HOUR_MS;

/** Whether the router has still to deliver an event to some of its listeners. */
export const isUnrouted = ({ isRouted, due }: { readonly isRouted: boolean; readonly due: number }, now: number) =>
  !isRouted && due > now - GIVEN_UP_MS;

/** The events of a namespace that are recorded and not routed, also those that are due later. */
export function openEventsOf(ports: Pick<Ports, 'table' | 'clock' | 'settings'>, namespace: Namespace): OpenKind {
  const { table, clock } = ports;
  const { id, created } = namespace;
  return {
    cursor: keys.openCursor(id, 'events'),
    list: keys.openEvents(id),
    order: 'time',
    // An event that was received earlier and is not due yet is on the bus.
    oldest: Math.max(created, clock.now() - GIVEN_UP_MS),
    rangesOf: (from, to) => rangesOf(namespace, { from, to }, false),
    onRate: (rowsPerSecond) => partitions.grow(ports, namespace, rowsPerSecond),
    pick: async (rows) => {
      const items = await getAll(
        table,
        rows.map((row) => rowOf(row).key),
      );
      const now = clock.now();
      return rows.filter((_, index) => {
        const item = items[index];
        return item !== undefined && isUnrouted({ isRouted: item['routed'] === true, due: Number(item['due']) }, now);
      });
    },
  };
}
