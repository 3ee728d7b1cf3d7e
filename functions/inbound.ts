import { enginePorts } from '../lib/adapters/aws/deployed.ts';
import { type Inbound, takeIn } from '../lib/engine/inbound.ts';

/** What rules call that bring events of other buses. An error makes Lambda call again. */
export const handler = (inbound: Inbound): Promise<void> => takeIn(enginePorts(), inbound);
