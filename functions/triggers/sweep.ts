import { containers, enginePorts, installation, meter } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { rearmAll } from '../../lib/engine/recovery/rearming.ts';
import { reconcile } from '../../lib/engine/recovery/reconciler.ts';
import { sweep } from '../../lib/engine/recovery/sweep.ts';

/** Called by rules after each deployment and every 15 minutes. The next call completes one that was interrupted. */
export const handler = withFaultLog<void, void>(
  async () => {
    const ports = { ...enginePorts(), containers: containers() };
    await rearmAll(ports, installation());
    await reconcile(ports, { isExclusive: false });
    await sweep(ports);
  },
  { about: () => ({}), meter },
);
