import type { EventBridgeEvent } from 'aws-lambda';
import { enginePorts, meter } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { aboutFault, route } from '../../lib/engine/events/router.ts';
import type { Message } from '../../lib/ports/bus.ts';

/** What the bus calls for each recorded event. An error makes it call again. */
export const handler = withFaultLog(
  ({ detail }: EventBridgeEvent<string, Message>): Promise<void> => route(enginePorts(), detail),
  {
    about: ({ detail: { namespace, id, type } }, error) => ({ namespace, event: id, type, ...aboutFault(error) }),
    meter,
  },
);
