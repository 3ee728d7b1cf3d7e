import type { CloudFormationCustomResourceEvent, Context } from 'aws-lambda';
import { serve } from '../../lib/adapters/aws/deploy/custom-resource.ts';
import { clock, inventory, meter, table } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { lead } from '../../lib/domain/migrations/upgrade.ts';

/** A call of Lambda has a quarter of an hour, and its last page must be through in time. */
const LONGEST_MS = 13 * 60_000;

const work = withFaultLog<unknown, boolean>(
  () => lead({ table: table(), inventory: inventory(), clock: clock() }, clock().now() + LONGEST_MS),
  { about: () => ({}), meter },
);

/**
 * Leads the tables to the layout of this version: when it is deployed, and once a day, should they have been too many
 * items for one call. CloudFormation gets an answer, whatever happens; tables of a newer version end the deployment.
 */
export async function handler(
  event: CloudFormationCustomResourceEvent | { readonly RequestType?: never },
  context?: Context,
): Promise<void> {
  if (event.RequestType === undefined) {
    await work(event, context);
    return;
  }
  await serve(event, String(event.ResourceProperties['name']), async () => {
    if (event.RequestType !== 'Delete') await work(event, context);
  });
}
