import * as events from '../../domain/events/events.ts';
import * as history from '../../domain/events/history.ts';
import * as instances from '../../domain/instances/instances.ts';
import * as metrics from '../../domain/metrics/metrics.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import * as removals from '../../domain/purging/purging.ts';
import * as runs from '../../domain/runs/runs.ts';
import { collectAllUnused } from '../../domain/services/garbage.ts';
import * as keys from '../../domain/storage/keys.ts';
import { readAll } from '../../domain/storage/queries.ts';
import type { CleanupPorts, EnginePorts } from '../ports.ts';
import { repair } from './repair.ts';

/**
 * Finishes what was interrupted: purges, runs that were stored and never started or were lost, events that were recorded
 * and never sent. It also adds the runs that ended since the last sweep to the metrics, and removes containers that no
 * workflow asks for any more. Safe to repeat and to interrupt.
 */
export async function sweep(ports: CleanupPorts): Promise<void> {
  await removals.finishAll(ports);
  for (const item of await readAll(ports.table, keys.NAMESPACES)) {
    const namespace = namespaces.fromItem(item);
    await repairRuns(ports, namespace);
    await sendUnsent(ports, namespace);
    await metrics.rollUp(ports, namespace);
    await collectAllUnused(ports, namespace);
  }
}

async function repairRuns(ports: CleanupPorts, namespace: namespaces.Namespace): Promise<void> {
  for await (const head of instances.pendingOf(ports, namespace)) {
    const run = await runs.find(ports, head.id);
    if (run !== undefined) await repair(ports, run);
  }
}

/** The bus may have received them before the crash all the same: the router processes each event once. */
async function sendUnsent(ports: EnginePorts, namespace: namespaces.Namespace): Promise<void> {
  for await (const part of history.lost(ports, namespace.id)) {
    await ports.bus.publish(part.map(({ key, event }) => events.toMessage(namespace, key, event)));
  }
}
