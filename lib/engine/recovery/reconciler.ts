import * as events from '../../domain/events/events.ts';
import { timerOf } from '../../domain/events/identity.ts';
import { isUnrouted, openEventsOf } from '../../domain/events/open-events.ts';
import { openRunsOf } from '../../domain/instances/open-runs.ts';
import * as metrics from '../../domain/metrics/metrics.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import * as purging from '../../domain/purging/purging.ts';
import * as runs from '../../domain/runs/runs.ts';
import * as keys from '../../domain/storage/keys.ts';
import { closeItems, type OpenItem, type OpenKind, openItems, restItems } from '../../domain/storage/open-items.ts';
import { knownUntil } from '../../domain/storage/spread.ts';
import { followChange, openSchedules } from '../../domain/tree/arming.ts';
import { endedTasksOf, unreportedEndOf } from '../../domain/workers/ended-tasks.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { deliver } from '../delivery/deliver.ts';
import { exportAudit } from '../events/audit-export.ts';
import { definePostponed } from '../machines/early-definitions.ts';
import type { DeliveryPorts } from '../ports.ts';
import { REPORT_MS } from './ended-calls.ts';
import { deliverEnd, ensureDriven } from './unattended-runs.ts';
import { forEachOf, visitNamespaces } from './visits.ts';

/** The assumptions and the end of a pass of the reconciler. */
export interface Pass {
  /**
   * No other process is at work: the local service has locked its folder and does not serve requests yet. Then the pass
   * leaves no item to another process, and visits every open one.
   */
  readonly isExclusive: boolean;
  /** The time at which the pass stops, milliseconds since 1970; the next one continues there. Absent: it has no end. */
  readonly until?: number;
  /** When the installation was created, milliseconds since 1970: earlier findings may be deleted. Absent: long ago. */
  readonly since?: number;
}

interface Scope extends Pass {
  readonly ports: DeliveryPorts;
  readonly namespace: namespaces.Namespace;
  /** When the namespace was read, milliseconds since 1970. */
  readonly readAt: number;
  /** Faults of single items: the others are converged all the same. */
  readonly faults: unknown[];
}

/** A promise that tables make: how its open items are found, and how it is kept. */
interface Promised<T> {
  readonly kindOf: (scope: Scope) => OpenKind;
  /** Reads the items; undefined for one that was deleted. */
  readonly read: (scope: Scope, items: readonly OpenItem[]) => Promise<readonly (T | undefined)[]>;
  /** Keeps the promise, or sees to it that it will be kept. Idempotent. */
  readonly converge: (scope: Scope, found: T) => Promise<void>;
  /** Whether the promise was open when the item was read. */
  readonly isOpen: (scope: Scope, found: T) => boolean;
}

const idOf = ({ key }: OpenItem): string => keys.runIdIn(key.pk);

/** A pending run is driven by an execution or a caller; a run that was ended from outside has ended completely. */
const RUN: Promised<runs.Run> = {
  kindOf: ({ ports, namespace }) => openRunsOf(ports, namespace),
  read: ({ ports }, items) => runs.findMany(ports, items.map(idOf)),
  converge: ({ ports, isExclusive }, run) =>
    run.status === 'pending' ? ensureDriven(ports, run, isExclusive) : deliverEnd(ports, run),
  isOpen: (_scope, run) => run.status === 'pending',
};

/** How long an event may be on its way through the bus before it is published again, milliseconds. */
const ON_ITS_WAY_MS = MINUTE_MS;

/**
 * A recorded event is published, so also the outbox of every commit; the router marks it as delivered. It is published
 * again after 1, 2, 4 … minutes, under a name, so that passes in between have no effect: the bus may still try.
 */
const EVENT: Promised<events.Recorded> = {
  kindOf: ({ ports, namespace }) => openEventsOf(ports, namespace),
  read: ({ ports }, items) => Promise.all(items.map(({ key }) => events.read(ports, key))),
  async converge({ ports, namespace, isExclusive }, recorded) {
    const now = ports.clock.now();
    const { key, event, due } = recorded;
    if (!isUnrouted(recorded, now) || (!isExclusive && now - due < ON_ITS_WAY_MS)) return;
    const message = events.toMessage(namespace, key, event);
    const times = Math.floor(Math.log2(Math.max((now - due) / ON_ITS_WAY_MS, 1)));
    if (due > now) await ports.bus.publishAt(due, timerOf(message), message);
    else await ports.bus.publishAt(now, `${timerOf(message)}-${times}`, message);
  },
  isOpen: ({ ports }, recorded) => isUnrouted(recorded, ports.clock.now()),
};

/**
 * The end of a worker's task is reported to the machine that waits for it; where the run that waited went on to its end with
 * it, the end of that run.
 */
const TASK: Promised<runs.Run> = {
  kindOf: ({ ports, namespace }) => endedTasksOf(ports, namespace),
  read: ({ ports }, items) => runs.findMany(ports, items.map(idOf)),
  async converge({ ports, isExclusive }, task) {
    if (!isExclusive && ports.clock.now() - task.updated < REPORT_MS) return;
    const ended = await unreportedEndOf(ports, task);
    if (ended !== undefined) await deliver(ports, ended);
  },
  isOpen: () => false,
};

/** How many items are converged side by side. */
const CONCURRENCY = 16;

async function convergeOne<T>({ converge }: Promised<T>, scope: Scope, found: T): Promise<boolean> {
  try {
    await converge(scope, found);
    return true;
  } catch (fault) {
    scope.faults.push(fault);
    return false;
  }
}

async function convergeBatch<T>(promised: Promised<T>, scope: Scope, items: readonly OpenItem[]): Promise<void> {
  const found = await promised.read(scope, items);
  const closed: OpenItem[] = [];
  const kept: OpenItem[] = [];
  for (let from = 0; from < items.length; from += CONCURRENCY) {
    const some = items.slice(from, from + CONCURRENCY).map(async (item, index) => {
      const one = found[from + index];
      if (one === undefined) closed.push(item);
      else if (await convergeOne(promised, scope, one)) (promised.isOpen(scope, one) ? kept : closed).push(item);
    });
    await Promise.all(some);
  }
  await closeItems(scope.ports, promised.kindOf(scope), closed);
  await restItems(scope.ports, promised.kindOf(scope), kept);
}

async function keep<T>(promised: Promised<T>, scope: Scope): Promise<void> {
  const { isExclusive: visitsAll, until = Number.POSITIVE_INFINITY, since = 0, readAt } = scope;
  const extent = { visitsAll, until, since, knownUntil: knownUntil(readAt) };
  for await (const items of openItems(scope.ports, promised.kindOf(scope), extent)) {
    if (items.length > 0) await convergeBatch(promised, scope, items);
  }
}

type PromiseName = 'run driven' | 'event routed' | 'task reported';

/** Every promise that outlives the process which made it (docs/decisions/024 lists what follows from which). */
const PROMISES: Readonly<Record<PromiseName, (scope: Scope) => Promise<void>>> = {
  'run driven': (scope) => keep(RUN, scope),
  'event routed': (scope) => keep(EVENT, scope),
  'task reported': (scope) => keep(TASK, scope),
};

/** A workflow that was changed has its schedule: the marker of the change names it until that is done. */
async function armSchedules(ports: DeliveryPorts): Promise<void> {
  await forEachOf(await openSchedules(ports), CONCURRENCY, (open) => followChange(ports, open));
}

/** A clock that was ahead has left times in the future, up to which runs would not be counted. */
async function withdrawFuture(ports: DeliveryPorts, namespace: namespaces.Namespace): Promise<void> {
  await namespaces.withdrawFuture(ports, namespace);
  await metrics.withdrawFutureMarks(ports, namespace);
}

/**
 * Compares the promises of the tables with the existing things, and keeps them: level-triggered, idempotent, and cheap
 * when no item is open. A fault with one item or promise does not stop the others. Throws the first fault in the end.
 * The namespaces are visited side by side; the pass after one that reaches its end begins with the next namespace.
 */
export async function reconcile(ports: DeliveryPorts, pass: Pass): Promise<void> {
  const faults: unknown[] = [];
  const attempt = (work: Promise<void>): Promise<void> => work.catch((fault: unknown) => void faults.push(fault));
  await attempt(purging.finishAll(ports));
  await attempt(armSchedules(ports));
  await attempt(exportAudit(ports));
  await visitNamespaces(ports, { name: 'reconciler', until: pass.until }, async (namespace, readAt) => {
    const scope = { ...pass, ports, namespace, readAt, faults };
    if (pass.isExclusive) await attempt(withdrawFuture(ports, namespace));
    for (const keepPromise of Object.values(PROMISES)) await attempt(keepPromise(scope));
  });
  // The last, because it takes a second for each.
  await attempt(definePostponed(ports, pass.until));
  if (faults.length > 0) throw faults[0];
}
