import type { Context } from 'aws-lambda';
import type { ReconcileTask } from '../../lib/adapters/aws/containers/revisions/reconcile.ts';
import { meter, reconcileRevision } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';

/** Runs one round of the reconciliation of a container revision. The state machine repeats it after an error. */
export function handler(
  task: ReconcileTask,
  context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
): Promise<ReconcileTask> {
  const work = (given: ReconcileTask): Promise<ReconcileTask> =>
    reconcileRevision()(given, context.getRemainingTimeInMillis());
  return withFaultLog(work, { about: ({ id }) => ({ service: id }), meter })(task, context);
}
