import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import {
  BROADCAST_DELAY_MS,
  type BroadcastFacts,
  type BroadcastKind,
  broadcastEvent,
} from '../../events/broadcasts.ts';
import { receive } from '../events/broadcasting.ts';
import type { EnginePorts } from '../ports.ts';

/** Sends an event about a change in a namespace, `BROADCAST_DELAY` later, if the namespace asks for its kind. */
export async function announce<Kind extends BroadcastKind>(
  ports: EnginePorts,
  namespace: Namespace,
  kind: Kind,
  facts: BroadcastFacts[Kind],
): Promise<void> {
  if (!namespace.broadcasts.includes(kind)) return;
  const { clock, settings } = ports;
  const event = broadcastEvent(kind, facts, { id: clock.uuid(), source: settings.brand });
  await receive(ports, namespace, event, BROADCAST_DELAY_MS);
}
