import type { Ports } from '../../ports/ports.ts';
import type { Where } from '../../ports/table.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time/units.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as partitions from '../namespaces/partitions.ts';
import type { StoredStatus } from '../runs/items.ts';
import { isCancelledCode } from '../runs/run.ts';
import * as runs from '../runs/runs.ts';
import * as keys from '../storage/keys.ts';
import type { OpenKind } from '../storage/open-items.ts';

/** Whether the run of a row is pending, or was ended by a request that may have left something undone. */
const isOpen = ({ status, code }: runs.Head): boolean =>
  status === 'pending' || (status === 'failed' && isCancelledCode(code));

/** Whether a run with a status may be open. */
const MAY_BE_OPEN: Readonly<Record<StoredStatus, boolean>> = {
  pending: true,
  queued: true,
  failed: true,
  complete: false,
  crashed: false,
};

const WHERE: Where = [
  Object.entries(MAY_BE_OPEN).flatMap(([status, mayBe]) =>
    mayBe ? [{ attribute: 'status', is: 'equal to', text: status } as const] : [],
  ),
];

/** An instance is kept for the retention after its end, and began at most that long before. */
const MAX_AGE_MS = 2 * runs.RETENTION_DAYS * DAY_MS;

const MIN_REST_MS = MINUTE_MS;
const MAX_REST_MS = 6 * HOUR_MS;

type Needs = Pick<Ports, 'clock' | 'table' | 'settings'>;

/** The runs of a namespace that are pending, and those that were cancelled since the last pass. */
export function openRunsOf(ports: Needs, namespace: Namespace): OpenKind {
  const { id, created } = namespace;
  return {
    cursor: keys.openCursor(id, 'runs'),
    list: keys.openRuns(id),
    order: 'order',
    oldest: Math.max(created, ports.clock.now() - MAX_AGE_MS),
    rangesOf: (from, to) =>
      keys.daysBetween(from, to).map((day) => ({ ...keys.runsBegun(namespace, day), from: keys.timeText(from) })),
    where: WHERE,
    pick: async (rows) => rows.filter((row) => isOpen(runs.toHead(row))),
    // Of 1,000,000 runs that wait for weeks, 46 a second are visited.
    restOf: (age) => Math.min(Math.max(age, MIN_REST_MS), MAX_REST_MS),
    onRate: (rowsPerSecond) => partitions.grow(ports, namespace, rowsPerSecond),
  };
}
