import { ServiceError } from '../../domain/errors.ts';
import * as failed from '../../domain/events/dead-letters.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import type { BridgeEvent } from '../../events/eventbridge.ts';
import { isObject } from '../../language/json.ts';
import type { Message } from '../../ports/bus.ts';
import type { Schedule } from '../../ports/schedules.ts';
import type { EnginePorts } from '../ports.ts';

type Needs = Pick<EnginePorts, 'table' | 'blobs' | 'meter'>;

/** The namespace that a delivery was for: its id, or undefined when it is gone. */
async function idOf(ports: Needs, name: string): Promise<string | undefined> {
  try {
    return (await namespaces.need(ports, name)).id;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

interface Owned {
  readonly delivery: failed.Delivery;
  /** The namespace, by its id or its name. */
  readonly namespace: { readonly id: string } | { readonly name: string };
}

/** What a function was called with, by which it is known. */
const READERS: readonly ((payload: Readonly<Record<string, unknown>>, to: string) => Owned | undefined)[] = [
  ({ detail }, to) => {
    if (!isObject(detail) || !isObject(detail['record']) || typeof detail['namespaceId'] !== 'string') return undefined;
    const message = detail as unknown as Message;
    return { delivery: { kind: 'event', message, to }, namespace: { id: message.namespaceId } };
  },
  ({ target, planned }) => {
    if (!isObject(target) || typeof planned !== 'string') return undefined;
    const tick = { target: target as unknown as Schedule['target'], planned: Date.parse(planned) };
    return { delivery: { kind: 'tick', ...tick }, namespace: { name: tick.target.namespace } };
  },
  ({ namespace, event }) => {
    if (typeof namespace !== 'string' || !isObject(event)) return undefined;
    return { delivery: { kind: 'inbound', event: event as unknown as BridgeEvent }, namespace: { name: namespace } };
  },
];

const ownerOf = (payload: Readonly<Record<string, unknown>>, to: string): Owned | undefined =>
  READERS.map((read) => read(payload, to)).find((found) => found !== undefined);

const ABOUT: { readonly [K in failed.Delivery['kind']]: (delivery: Extract<failed.Delivery, { kind: K }>) => object } =
  {
    event: ({ message: { namespace, id, type } }) => ({ namespace, event: id, type }),
    tick: ({ target: { namespace, workflow } }) => ({ namespace, workflow }),
    inbound: ({ event }) => ({ event: event.id }),
  };

/** What a log says of a call that failed. */
export function aboutCall(payload: unknown): Readonly<Record<string, string>> {
  const owned = isObject(payload) ? ownerOf(payload, '') : undefined;
  if (owned === undefined) return {};
  const { namespace, delivery } = owned;
  return { ...('name' in namespace ? { namespace: namespace.name } : {}), ...ABOUT[delivery.kind](delivery as never) };
}

/**
 * Keeps a call that failed for good, where its namespace finds it: what the function was called with, and whom else it
 * was for. False when it was for no namespace that there is.
 */
export async function noteFailure(ports: Needs, payload: unknown, failure: failed.Failure, to = ''): Promise<boolean> {
  if (!isObject(payload)) return false;
  const owned = ownerOf(payload, to);
  if (owned === undefined) return false;
  const { namespace, delivery } = owned;
  const id = 'id' in namespace ? namespace.id : await idOf(ports, namespace.name);
  if (id === undefined) return false;
  await failed.add(ports, id, delivery, failure);
  return true;
}
