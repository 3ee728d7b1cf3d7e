import { enginePorts, meter } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { type Inbound, receiveInbound } from '../../lib/engine/events/inbound.ts';

/** Called by the rules of other buses for each event. An error makes Lambda retry. */
export const handler = withFaultLog((inbound: Inbound): Promise<void> => receiveInbound(enginePorts(), inbound), {
  about: ({ namespace, event }) => ({ namespace, event: event.id }),
  meter,
});
