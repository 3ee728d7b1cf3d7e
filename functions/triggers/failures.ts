import { blobs, meter, table } from '../../lib/adapters/aws/deployed.ts';
import { type FailureNotice, failedCallsOf, payloadOf } from '../../lib/adapters/aws/failed-calls.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { keepDeadLetter, logFieldsOfCall } from '../../lib/engine/events/dead-letters.ts';

async function keepAll(notice: FailureNotice): Promise<void> {
  const ports = { table: table(), blobs: blobs(), meter: meter() };
  for (const { payload, failure, to } of failedCallsOf(notice)) {
    const isKept = await keepDeadLetter(ports, payload, failure, to);
    if (!isKept) console.error('a call exhausted its retries and belongs to no namespace', { payload, failure, to });
  }
}

/** Called by Lambda for another function's call that exhausted its retries, and once a day with the dead-letter queue. */
export const handler = withFaultLog(keepAll, { about: (notice) => logFieldsOfCall(payloadOf(notice)), meter });
