import { ServiceError } from '../../domain/errors.ts';
import * as events from '../../domain/events/events.ts';
import * as eventFilters from '../../domain/events/filters.ts';
import { timerOf } from '../../domain/events/identity.ts';
import { note } from '../../domain/logs/change-lines.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import { withRelief } from '../../domain/namespaces/relief.ts';
import type { CloudEvent } from '../../events/cloud-event.ts';
import { type Decoded, decodeEvents, type Request } from '../../events/decode.ts';
import { needEvents } from '../limits/event-rate.ts';
import type { EnginePorts } from '../ports.ts';
import { filterEvent } from './filtering.ts';

/**
 * Records an event and sends it to the router, after `delay` milliseconds if there is one. An event that was recorded
 * before and never sent is sent now. Throws `exists` for an event that was recorded before, and `too-large`.
 */
export async function receive(ports: EnginePorts, namespace: Namespace, event: CloudEvent, delay = 0): Promise<void> {
  try {
    const record = () => events.record(ports, namespace, event, delay);
    await send(ports, namespace, await withRelief(ports, namespace, record));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'exists') await resend(ports, namespace, event);
    throw error;
  }
}

async function send(ports: EnginePorts, namespace: Namespace, { key, event, due }: events.Recorded): Promise<void> {
  const message = events.toMessage(namespace, key, event);
  if (due <= ports.clock.now()) await ports.bus.publish([message]);
  else await ports.bus.publishAt(due, timerOf(message), message);
}

async function resend(ports: EnginePorts, namespace: Namespace, event: CloudEvent): Promise<void> {
  const recorded = await events.needSame(ports, namespace.id, event);
  if (!recorded.isRouted) await send(ports, namespace, recorded);
}

/** Changes an event on its way in; undefined drops it. */
type Filter = (event: CloudEvent) => Promise<CloudEvent | undefined>;

const unchanged: Filter = async (event) => event;

/** The event filter of that name. Throws `not-found`. */
export async function openFilter(ports: EnginePorts, namespace: Namespace, name: string): Promise<Filter> {
  const script = await eventFilters.need(ports, namespace, name);
  return (event) => filterEvent({ namespaceId: namespace.id, name, script }, event, () => ports.clock.uuid());
}

/**
 * Accepts the events of a request, as `filter` leaves them. Valid events of a batch are accepted; the first invalid one
 * determines the error: `refused` (500, rest-api reference, 15.1) for a value that is no event, `exists` for an event that
 * the namespace has, `too-large`, or an error of `filter`. Throws `too-many`, and accepts none, for too many events a second.
 */
export async function broadcast(
  ports: EnginePorts,
  namespace: Namespace,
  { headers, body }: Pick<Request, 'headers' | 'body'>,
  filter = unchanged,
): Promise<void> {
  const decoded = decodeEvents({ headers, body, newId: () => ports.clock.uuid() });
  await needEvents(ports, namespace, decoded.length);
  const accept = async (one: Decoded, place: string): Promise<void> => {
    if ('problem' in one) throw new ServiceError('refused', `${one.problem}${place}`);
    const event = await filter(one.event);
    if (event !== undefined) await receive(ports, namespace, event);
  };
  const failures: unknown[] = [];
  const { processor } = ports;
  for (const [index, one] of decoded.entries()) {
    // The first one is in the turn of its request.
    if (index > 0 && processor?.mayCompute(namespace.name) === false) await processor.takeTurn(namespace.name);
    const place = decoded.length > 1 ? ` (number ${index} of the batch)` : '';
    await accept(one, place).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Sends a recorded event again. It starts workflows and wakes runs that listen now, as a new event would. Throws
 * `not-found`, `too-many`.
 */
export async function replay(ports: EnginePorts, namespace: Namespace, id: string): Promise<void> {
  const recorded = await events.need(ports, namespace.id, id);
  await needEvents(ports, namespace, 1);
  // It is recorded before it is sent: a run that has entered its wait and does not listen yet finds the record.
  const { event, replay } = await events.recordReplay(ports, namespace, recorded);
  await note(ports, 'event.replay', { namespace }, event);
  await ports.bus.publish([{ ...events.toMessage(namespace, replay.key, event), replay: replay.id }]);
}
