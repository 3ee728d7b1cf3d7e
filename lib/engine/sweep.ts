import * as history from '../domain/event-history.ts';
import * as events from '../domain/events.ts';
import * as instances from '../domain/instances.ts';
import { readAll } from '../domain/items.ts';
import * as keys from '../domain/keys.ts';
import * as metrics from '../domain/metrics.ts';
import * as namespaces from '../domain/namespaces.ts';
import * as removals from '../domain/removals.ts';
import * as runs from '../domain/runs.ts';
import { collectAll } from '../domain/service-leftovers.ts';
import type { EnginePorts, KeeperPorts } from './engine-ports.ts';
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
    await metrics.settle(ports, namespace);
    await collectAll(ports, namespace);
  }
}
