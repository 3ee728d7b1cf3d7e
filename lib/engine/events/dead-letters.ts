import { ServiceError } from '../../domain/errors.ts';
import * as failed from '../../domain/events/dead-letters.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import type { BridgeEvent } from '../../events/eventbridge.ts';
import { isObject } from '../../language/json.ts';
import type { Message } from '../../ports/bus.ts';
import type { Schedule } from '../../ports/schedules.ts';
import type { EnginePorts } from '../ports.ts';

type Needs = Pick<EnginePorts, 'table' | 'blobs' | 'meter'>;
type Kind = failed.Delivery['kind'];
type DeliveryOf<K extends Kind> = Extract<failed.Delivery, { readonly kind: K }>;
type Payload = Readonly<Record<string, unknown>>;

/** A delivery, and the namespace that it was for, by its id or its name. */
interface Addressed<D extends failed.Delivery = failed.Delivery> {
  readonly delivery: D;
  readonly namespace: { readonly id: string } | { readonly name: string };
}

/** One kind of delivery: its payload, and the fields that name it in a log record. */
interface DeliveryKind<K extends Kind> {
  /** Reads the payload of a call; undefined for a payload of another kind. `to`: the subscriber it was for. */
  readonly read: (payload: Payload, to: string) => Addressed<DeliveryOf<K>> | undefined;
  readonly logFields: (delivery: DeliveryOf<K>) => Readonly<Record<string, string>>;
}

const KINDS: { readonly [K in Kind]: DeliveryKind<K> } = {
  event: {
    read: ({ detail }, to) => {
      if (!isObject(detail) || !isObject(detail['record']) || typeof detail['namespaceId'] !== 'string')
        return undefined;
      const message = detail as unknown as Message;
      return { delivery: { kind: 'event', message, to }, namespace: { id: message.namespaceId } };
    },
    logFields: ({ message: { namespace, id, type } }) => ({ namespace, event: id, type }),
  },
  tick: {
    read: ({ target, planned }) => {
      if (!isObject(target) || typeof planned !== 'string') return undefined;
      const tick = { target: target as unknown as Schedule['target'], planned: Date.parse(planned) };
      return { delivery: { kind: 'tick', ...tick }, namespace: { name: tick.target.namespace } };
    },
    logFields: ({ target: { namespace, workflow } }) => ({ namespace, workflow }),
  },
  inbound: {
    read: ({ namespace, event }) => {
      if (typeof namespace !== 'string' || !isObject(event)) return undefined;
      return { delivery: { kind: 'inbound', event: event as unknown as BridgeEvent }, namespace: { name: namespace } };
    },
    logFields: ({ event }) => ({ event: event.id }),
  },
};

function readPayload(payload: unknown, to: string): Addressed | undefined {
  if (!isObject(payload)) return undefined;
  return Object.values(KINDS)
    .map(({ read }) => read(payload, to))
    .find((addressed) => addressed !== undefined);
}

/** The fields that name a failed asynchronous call in a log record, from the payload that the function was called with. */
export function logFieldsOfCall(payload: unknown): Readonly<Record<string, string>> {
  const addressed = readPayload(payload, '');
  if (addressed === undefined) return {};
  const { namespace, delivery } = addressed;
  const { logFields } = KINDS[delivery.kind] as DeliveryKind<Kind>;
  return { ...('name' in namespace ? { namespace: namespace.name } : {}), ...logFields(delivery) };
}

/** The id of a namespace; undefined when it is deleted. */
async function idOf(ports: Needs, name: string): Promise<string | undefined> {
  try {
    return (await namespaces.need(ports, name)).id;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/**
 * Keeps an asynchronous call that exhausted its retries as a dead letter of its namespace: the payload that the function
 * was called with, and the subscriber it was for (`to`). Returns false when there is no namespace for it.
 */
export async function keepDeadLetter(
  ports: Needs,
  payload: unknown,
  failure: failed.Failure,
  to = '',
): Promise<boolean> {
  const addressed = readPayload(payload, to);
  if (addressed === undefined) return false;
  const { namespace, delivery } = addressed;
  const id = 'id' in namespace ? namespace.id : await idOf(ports, namespace.name);
  if (id === undefined) return false;
  await failed.add(ports, id, delivery, failure);
  return true;
}
