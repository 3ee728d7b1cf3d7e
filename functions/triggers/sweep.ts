import { containers, enginePorts, meter } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { sweep } from '../../lib/engine/recovery/sweep.ts';

/** What the daily rule calls. A sweep that is cut short goes on the next day where there is still something to do. */
export const handler = withFaultLog<void, void>(() => sweep({ ...enginePorts(), containers: containers() }), {
  about: () => ({}),
  meter,
});
