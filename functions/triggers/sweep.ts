import { containers, enginePorts, meter } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { reconcile } from '../../lib/engine/recovery/reconciler.ts';
import { sweep } from '../../lib/engine/recovery/sweep.ts';

/** Called by a rule every 15 minutes. The next call completes one that was interrupted. */
export const handler = withFaultLog<void, void>(
  async () => {
    const ports = { ...enginePorts(), containers: containers() };
    await reconcile(ports, { isExclusive: false });
    await sweep(ports);
  },
  { about: () => ({}), meter },
);
