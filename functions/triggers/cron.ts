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
import { OverRateError } from '../../lib/engine/limits/starts.ts';
import { startByClock } from '../../lib/engine/routing/starts.ts';
import { runOfTick } from '../../lib/engine/run/planned-times.ts';

/** The payload of the scheduler: the workflow, and the planned time. */
interface Tick {
  readonly target: { readonly id: string; readonly namespace: string; readonly workflow: string };
  /** RFC 3339. */
  readonly planned: string;
}

/** Called by the scheduler. An error makes it retry. */
export const handler = withTraces(
  withFaultLog(
    ({ target, planned }: Tick): Promise<void> =>
      startByClock(
        {
          ...enginePorts(),
          sealer: sealer(),
          externalSecrets: externalSecrets(),
          web: web(),
          lambdas: lambdas(),
          containers: containers(),
        },
        target,
        Date.parse(planned),
      ),
    {
      about: ({ target, planned }) => {
        const { namespace, workflow } = target;
        return { namespace, workflow, instance: runOfTick(target, Date.parse(planned)), planned };
      },
      meter,
      isAnswer: (error) => error instanceof OverRateError,
    },
  ),
  traces,
);
