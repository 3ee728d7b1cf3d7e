import { enginePorts, meter } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { type Inbound, takeIn } from '../../lib/engine/events/inbound.ts';

/** What rules call that bring events of other buses. An error makes Lambda call again. */
export const handler = withFaultLog((inbound: Inbound): Promise<void> => takeIn(enginePorts(), inbound), {
  about: ({ namespace, event }) => ({ namespace, event: event.id }),
  meter,
});
