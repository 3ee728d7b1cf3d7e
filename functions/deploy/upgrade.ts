import type { CloudFormationCustomResourceEvent, Context } from 'aws-lambda';
import { serve } from '../../lib/adapters/aws/deploy/custom-resource.ts';
import { clock, inventory, meter, table } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { migrate } from '../../lib/domain/migrations/upgrade.ts';

/** A Lambda call lasts 15 minutes at most, and the last page must be migrated in time. */
const MAX_MS = 13 * 60_000;

const work = withFaultLog<unknown, boolean>(
  () => migrate({ table: table(), inventory: inventory(), clock: clock() }, clock().now() + MAX_MS),
  { about: () => ({}), meter },
);

/**
 * Migrates the tables to the schema version of this release: as a custom resource with each deployment, and once a day,
 * in case there are too many items for one call. CloudFormation always gets an answer; tables of a newer version fail the
 * deployment.
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
