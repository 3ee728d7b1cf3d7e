import type { Context } from 'aws-lambda';
import type { Errand } from '../../lib/adapters/aws/containers/work.ts';
import { containerWork, meter } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';

/** What the state machine of containers calls, round for round. An error makes it call again. */
export function handler(
  errand: Errand,
  context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
): Promise<Errand> {
  const work = (one: Errand): Promise<Errand> => containerWork()(one, context.getRemainingTimeInMillis());
  return withFaultLog(work, { about: ({ id }) => ({ service: id }), meter })(errand, context);
}
