import { ServiceError } from '../../domain/errors.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import { type BridgeEvent, fromBridge } from '../../events/eventbridge.ts';
import type { EnginePorts } from '../ports.ts';
import { receive } from './broadcasting.ts';

/** An event of another bus, and the namespace that is to have it. */
export interface Inbound {
  readonly namespace: string;
  readonly event: BridgeEvent;
}

/** Takes the event into the namespace, once however often it comes. Throws `not-found` when there is no such namespace. */
export async function takeIn(ports: EnginePorts, { namespace, event }: Inbound): Promise<void> {
  try {
    await receive(ports, await namespaces.need(ports, namespace), fromBridge(event));
  } catch (error) {
    // It was recorded before; if it did not go out then, it has now.
    if (!(error instanceof ServiceError && error.code === 'exists')) throw error;
  }
}
