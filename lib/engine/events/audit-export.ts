import { type AuditEntry, fromItem } from '../../domain/audit/entries.ts';
import { areRecorded } from '../../domain/events/reservations.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import { putAt } from '../../domain/storage/batches.ts';
import * as keys from '../../domain/storage/keys.ts';
import { pagesOf } from '../../domain/storage/queries.ts';
import type { CloudEvent } from '../../events/cloud-event.ts';
import { MINUTE_MS } from '../../time/units.ts';
import type { EnginePorts } from '../ports.ts';
import { receive } from './broadcasting.ts';

/** An entry can appear this long after its time: the clocks of computers differ, and a write takes a moment. */
const MAX_DELAY_MS = 2 * MINUTE_MS;

/** The event about an entry of the audit log: its id is that of the entry, so that it is recorded once. */
function toEvent({ settings }: Pick<EnginePorts, 'settings'>, entry: AuditEntry): CloudEvent {
  return {
    specversion: '1.0',
    id: entry.id,
    source: settings.brand,
    type: `${settings.brand}.audit`,
    subject: entry.action,
    time: entry.time,
    datacontenttype: 'application/json',
    data: { ...entry },
  };
}

/** Sends the entries that were not sent before. An interrupted sending is completed by the reconciler, as for all events. */
async function send(
  ports: EnginePorts,
  namespace: namespaces.Namespace,
  entries: readonly AuditEntry[],
): Promise<void> {
  const ids = entries.map(({ id }) => id);
  const isSent = await areRecorded(ports, namespace.id, ids, ports.settings.brand);
  for (const [index, entry] of entries.entries()) {
    if (!isSent[index]) await receive(ports, namespace, toEvent(ports, entry));
  }
}

/** Sends the entries of [from, to] that were not sent before. */
async function sendAll(ports: EnginePorts, namespace: namespaces.Namespace, from: number, to: number): Promise<void> {
  for (const day of keys.daysBetween(from, to)) {
    for (let shard = 0; shard < keys.AUDIT_SHARDS; shard += 1) {
      const range = { ...keys.auditLog(day, shard), from: keys.timeText(from), to: keys.timeText(to + 1) };
      for await (const items of pagesOf(ports.table, range)) {
        await send(ports, namespace, items.map(fromItem));
      }
    }
  }
}

/**
 * Sends the entries of the audit log since the last call as events into the namespace of the settings, if that exists: each
 * once, also if a call is interrupted. The first call sends nothing: it sets the beginning.
 */
export async function exportAudit(ports: EnginePorts): Promise<void> {
  const name = ports.settings.audit?.namespace;
  if (name === undefined) return;
  const now = ports.clock.now();
  const [item, cursor] = await ports.table.get([keys.namespace(name), keys.AUDIT_CURSOR]);
  if (item !== undefined) {
    const from = Number(cursor?.['until'] ?? cursor?.['time'] ?? now) - MAX_DELAY_MS;
    if (cursor !== undefined) await sendAll(ports, namespaces.fromItem(item), from, now);
  }
  await ports.table.write([putAt(keys.AUDIT_CURSOR, { until: now })]);
}
