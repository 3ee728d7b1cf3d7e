import { concurrentCalls } from '../../lib/adapters/aws/account.ts';
import { containers, enginePorts, installation, meter, timers, traces } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { withTraces } from '../../lib/api/trace-export.ts';
import { storeConcurrentCalls } from '../../lib/domain/instances/waiting-requests.ts';
import { rearmAll } from '../../lib/engine/recovery/rearming.ts';
import { reconcile } from '../../lib/engine/recovery/reconciler.ts';
import { sweep } from '../../lib/engine/recovery/sweep.ts';
import { advanceAll } from '../../lib/engine/requests/bulk/jobs.ts';
import { MINUTE_MS } from '../../lib/time/units.ts';

/** A call may last 15 minutes: the reconciler stops after 9 of them, the sweep after 12, jobs on many runs after 14. */
const RECONCILER_MS = 9 * MINUTE_MS;
const SWEEP_MS = 12 * MINUTE_MS;
const JOBS_MS = 14 * MINUTE_MS;

/** Called by rules after each deployment and every 15 minutes. The next call completes one that was interrupted. */
export const handler = withTraces(
  withFaultLog<void, void>(
    async () => {
      const ports = { ...enginePorts(), timers: timers(), containers: containers() };
      if (ports.settings.limits?.waitingRequests === 'half of the account') {
        await storeConcurrentCalls(ports, await concurrentCalls());
      }
      const began = ports.clock.now();
      const since = await rearmAll(ports, installation());
      await reconcile(ports, { isExclusive: false, until: began + RECONCILER_MS, since });
      await sweep(ports, began + SWEEP_MS);
      // Last: a part of a job may last longer than the call.
      await advanceAll(ports, began + JOBS_MS);
    },
    { about: () => ({}), meter },
  ),
  traces,
);
