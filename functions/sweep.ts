import { enginePorts } from '../lib/adapters/aws/deployed.ts';
import { sweep } from '../lib/engine/sweep.ts';

/** What the daily rule calls. A sweep that is cut short goes on the next day where there is still something to do. */
export const handler = (): Promise<void> => sweep(enginePorts());
