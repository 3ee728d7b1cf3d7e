import type { Context } from 'aws-lambda';
import type { Errand } from '../lib/adapters/aws/containers/work.ts';
import { containerWork } from '../lib/adapters/aws/deployed.ts';

/** What the state machine of containers calls, round for round. An error makes it call again. */
export const handler = (errand: Errand, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<Errand> =>
  containerWork()(errand, context.getRemainingTimeInMillis());
