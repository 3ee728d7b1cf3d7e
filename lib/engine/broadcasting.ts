import { ServiceError } from '../domain/errors.ts';
import * as events from '../domain/events.ts';
import type { Namespace } from '../domain/namespaces.ts';
import type { CloudEvent } from '../events/cloud-event.ts';
import { type Decoded, decodeEvents } from '../events/decode.ts';
import type { EnginePorts } from './engine-ports.ts';

async function send(ports: EnginePorts, namespace: Namespace, { key, event, due }: events.Recorded): Promise<void> {
  const message = events.toMessage(namespace, key, event);
  if (due <= ports.clock.now()) await ports.bus.publish([message]);
  else await ports.bus.publishAt(due, `event-${message.id}`, message);
}

/**
 * Records an event and puts it on its way, after a delay in milliseconds if there is one. One that is recorded already
 * and never went out is put on its way again.
 */
export async function receive(ports: EnginePorts, namespace: Namespace, event: CloudEvent, delay = 0): Promise<void> {
  try {
    await send(ports, namespace, await events.record(ports, namespace.id, event, delay));
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'exists') await resend(ports, namespace, event.id);
    throw error;
  }
}

async function resend(ports: EnginePorts, namespace: Namespace, id: string): Promise<void> {
  const recorded = await events.need(ports, namespace.id, id);
  if (!recorded.isRouted) await send(ports, namespace, recorded);
}

async function receiveOne(ports: EnginePorts, namespace: Namespace, decoded: Decoded, place: string): Promise<void> {
  if ('problem' in decoded) throw new ServiceError('invalid', `invalid cloudevent${place}: ${decoded.problem}`);
  await receive(ports, namespace, decoded.event);
}

/**
 * Takes in the events of a request. Of a batch every good one is taken; the first that is not decides what is thrown:
 * `invalid`, `exists` for an id that the namespace has, `too-large`.
 */
export async function broadcast(
  ports: EnginePorts,
  namespace: Namespace,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<void> {
  const decoded = decodeEvents({ headers, body, newId: () => ports.clock.uuid() });
  const failures: unknown[] = [];
  for (const [index, one] of decoded.entries()) {
    const place = decoded.length > 1 ? ` (number ${index} of the batch)` : '';
    await receiveOne(ports, namespace, one, place).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** Sends a recorded event again: it starts and wakes whoever listens now, as if it were new. Throws `not-found`. */
export async function replay(ports: EnginePorts, namespace: Namespace, id: string): Promise<void> {
  const { key, event } = await events.need(ports, namespace.id, id);
  await ports.bus.publish([{ ...events.toMessage(namespace, key, event), replay: ports.clock.uuid() }]);
}
