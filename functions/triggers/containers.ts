import type { Context } from 'aws-lambda';
import type { Errand } from '../../lib/adapters/aws/containers/work.ts';
import { containerWork, meter } from '../../lib/adapters/aws/deployed.ts';
import { noting } from '../../lib/api/faults.ts';

/** Called by the state machine of containers for each step of a job. An error makes it retry. */
export function handler(
  errand: Errand,
  context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
): Promise<Errand> {
  const work = (one: Errand): Promise<Errand> => containerWork()(one, context.getRemainingTimeInMillis());
  return noting(work, { about: ({ id }) => ({ service: id }), meter })(errand, context);
}
