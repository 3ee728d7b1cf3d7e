import * as events from '../../domain/events/events.ts';
import { displayName } from '../../domain/events/listeners.ts';
import * as traces from '../../domain/events/traces.ts';
import { homeOf } from '../../domain/namespaces/partitions.ts';
import { isCancelledCode } from '../../domain/runs/run.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { CloudEvent } from '../../events/cloud-event.ts';
import { matches } from '../../events/matching.ts';
import type { Cancellation } from '../delivery/cancellation.ts';
import { cancel } from '../delivery/deliver.ts';
import type { DeliveryPorts } from '../ports.ts';

/** The outcome of an event that was offered to a run which it may cancel; `explain` shows these words. */
export type OfferedToCancel = 'cancelled' | 'too early' | 'gone';

const byEvent = ({ type, id, source }: CloudEvent): Cancellation => ({
  reason: 'cancels.event',
  message: `cancelled by the event '${id}' of the type '${type}' from '${source}'`,
});

/**
 * Cancels a run by an event that matches its `cancelOn`, with every child that it waits for. Safe to repeat: it finishes a
 * cancellation that was interrupted.
 */
export async function offerToCancel(
  ports: DeliveryPorts,
  id: string,
  { event, due }: Pick<events.Recorded, 'event' | 'due'>,
): Promise<OfferedToCancel> {
  const run = await runs.find(ports, id);
  if (run?.cancelOn === undefined) return 'gone';
  if (run.status === 'pending' && due < run.cancelOn.since) return 'too early';
  const why = byEvent(event);
  if (run.status !== 'pending' && !isCancelledCode(run.code)) return 'gone';
  const ended = await cancel(ports, run, why);
  const { end } = ended.handling ?? {};
  const { message } = end === undefined || end.end === 'complete' ? ended : end;
  return message === why.message ? 'cancelled' : 'gone';
}

/**
 * Cancels a pending run by an event that came before its listener was stored, which the router may have missed. Returns
 * the run as it ended; undefined if it goes on. Such events are read once (`isChecked`).
 */
export async function cancelByPast(ports: DeliveryPorts, run: runs.Run): Promise<runs.Run | undefined> {
  const { cancelOn, id } = run;
  if (cancelOn === undefined || cancelOn.isChecked || run.status !== 'pending') return undefined;
  const { filter, since: from } = cancelOn;
  const home = await homeOf(ports, run);
  const found = await events.dueSince(ports, { home, type: filter.type, from }, (event) => matches(filter, event));
  const [first] = found.sort((a, b) => a.due - b.due);
  if (first === undefined) return undefined;
  const did = await offerToCancel(ports, id, first);
  const trace = { listener: displayName({ kind: 'cancel', owner: id }), workflow: run.path, matches: true, did };
  if (did === 'cancelled') await traces.add(ports, first, [trace], false);
  return runs.find(ports, id);
}
