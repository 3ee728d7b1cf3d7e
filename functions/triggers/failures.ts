import { blobs, meter, table } from '../../lib/adapters/aws/deployed.ts';
import {
  callOfMessage,
  callOfRecord,
  type FailedCall,
  type FailureNotice,
  isRecord,
  payloadOf,
  type QueueMessage,
} from '../../lib/adapters/aws/failed-calls.ts';
import { logFault, withFaultLog } from '../../lib/api/fault-log.ts';
import { keepDeadLetter, logFieldsOfCall } from '../../lib/engine/events/dead-letters.ts';

/** The messages of the queue that were stored, as entries of a request that deletes them. */
interface Kept {
  readonly Entries: readonly { readonly Id: string; readonly ReceiptHandle: string }[];
}

async function keep({ payload, failure, to }: FailedCall): Promise<void> {
  const ports = { table: table(), blobs: blobs(), meter: meter() };
  const isKept = await keepDeadLetter(ports, payload, failure, to);
  if (!isKept) console.error('a call exhausted its retries and belongs to no namespace', { payload, failure, to });
}

/** Stores a message. One that cannot be stored is logged, and remains in the queue. */
async function tryToKeep(message: QueueMessage): Promise<boolean> {
  try {
    await keep(callOfMessage(message));
    return true;
  } catch (error) {
    logFault(error, { messageId: message.MessageId }, {}, meter());
    return false;
  }
}

async function keepAll(notice: FailureNotice): Promise<Kept> {
  if (isRecord(notice)) {
    await keep(callOfRecord(notice));
    return { Entries: [] };
  }
  const Entries: { Id: string; ReceiptHandle: string }[] = [];
  for (const [index, message] of notice.Messages.entries()) {
    if (await tryToKeep(message)) Entries.push({ Id: String(index), ReceiptHandle: message.ReceiptHandle });
  }
  return { Entries };
}

/** Called by Lambda for another function's call that exhausted its retries, and once a day with the dead-letter queue. */
export const handler = withFaultLog(keepAll, { about: (notice) => logFieldsOfCall(payloadOf(notice)), meter });
