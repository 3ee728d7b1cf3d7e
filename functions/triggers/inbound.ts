import { enginePorts, meter } from '../../lib/adapters/aws/deployed.ts';
import { noting } from '../../lib/api/faults.ts';
import { type Inbound, receiveInbound } from '../../lib/engine/events/inbound.ts';

/** What rules call that bring events of other buses. An error makes Lambda call again. */
export const handler = noting((inbound: Inbound): Promise<void> => receiveInbound(enginePorts(), inbound), {
  about: ({ namespace, event }) => ({ namespace, event: event.id }),
  meter,
});
