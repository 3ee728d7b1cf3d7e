import { ServiceError } from '../../domain/errors.ts';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import { type BridgeEvent, fromBridge } from '../../events/eventbridge.ts';
import { leased } from '../../ports/table.ts';
import type { EnginePorts } from '../ports.ts';
import { receive } from './broadcasting.ts';

/** An event of another EventBridge bus, and the namespace that receives it. */
export interface Inbound {
  readonly namespace: string;
  readonly event: BridgeEvent;
}

/** Receives an event of another bus, once however often it is delivered. Throws `not-found` for an unknown namespace. */
export async function receiveInbound(ports: EnginePorts, { namespace, event }: Inbound): Promise<void> {
  try {
    await receive(ports, await namespaces.need({ table: leased(ports.table) }, namespace), fromBridge(event));
  } catch (error) {
    // It was recorded before. `receive` has sent it now if it was not sent then.
    if (!(error instanceof ServiceError && error.code === 'exists')) throw error;
  }
}
