import type { EventBridgeEvent } from 'aws-lambda';
import {
  containers,
  enginePorts,
  externalSecrets,
  lambdas,
  meter,
  sealer,
  traces,
  web,
} from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { withTraces } from '../../lib/api/trace-export.ts';
import { logFieldsOfFault, route } from '../../lib/engine/routing/router.ts';
import type { Message } from '../../lib/ports/bus.ts';

/** Called by the bus for each recorded event. An error makes Lambda retry. */
export const handler = withTraces(
  withFaultLog(
    ({ detail }: EventBridgeEvent<string, Message>): Promise<void> =>
      route(
        {
          ...enginePorts(),
          sealer: sealer(),
          externalSecrets: externalSecrets(),
          web: web(),
          lambdas: lambdas(),
          containers: containers(),
        },
        detail,
      ),
    {
      about: ({ detail: { namespace, id, type } }, error) => ({
        namespace,
        event: id,
        type,
        ...logFieldsOfFault(error),
      }),
      meter,
    },
  ),
  traces,
);
