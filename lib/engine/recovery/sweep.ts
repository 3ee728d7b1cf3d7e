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
import type { EnginePorts, KeeperPorts } from '../ports.ts';
import { repair } from './repair.ts';

async function repairRuns(ports: KeeperPorts, namespace: namespaces.Namespace): Promise<void> {
  for await (const head of instances.pendingOf(ports, namespace)) {
    const run = await runs.find(ports, head.id);
    if (run !== undefined) await repair(ports, run);
  }
}

/** Whoever recorded them got no further. The bus may have them all the same: the router takes each event once. */
async function sendLost(ports: EnginePorts, namespace: namespaces.Namespace): Promise<void> {
  for await (const part of history.lost(ports, namespace.id)) {
    await ports.bus.publish(part.map(({ key, event }) => events.toMessage(namespace, key, event)));
  }
}

/**
 * Makes up for what was cut short: purges that did not finish, runs that were stored and never started or got lost,
 * events that were recorded and never sent. Counts what ended since it was last done, and takes away containers that no
 * workflow asks for any more.
 */
export async function sweep(ports: KeeperPorts): Promise<void> {
  await removals.finishAll(ports);
  for (const item of await readAll(ports.table, keys.NAMESPACES)) {
    const namespace = namespaces.fromItem(item);
    await repairRuns(ports, namespace);
    await sendLost(ports, namespace);
    await metrics.rollUp(ports, namespace);
    await collectAllUnused(ports, namespace);
  }
}
