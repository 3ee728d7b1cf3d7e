import { afterEach, expect, test } from 'vitest';
import { withLeases } from '../../../../lib/adapters/aws/table/leases.ts';
import { dynamoTable } from '../../../../lib/adapters/aws/table/table.ts';
import type { Table, Write } from '../../../../lib/ports/table.ts';
import { type AwsServer, errorReply, type Reply, startAwsServer } from '../server.ts';

const names = { catalog: 'cat', runs: 'run', journal: 'jou' };
const ARN = 'arn:aws:dynamodb:eu-west-1:123456789012:table';
const RUN: Write = { do: 'put', table: 'runs', item: { pk: 'run#1', sk: '.', nsBucket: 'day#1', endBucket: 'end#1' } };
const EVENT: Write = { do: 'put', table: 'journal', item: { pk: 'event#1', sk: '.', timeBucket: 'received#1' } };

let server: AwsServer;
afterEach(() => server.close());

/** The table of a deployed function, whose database refuses the first request. */
async function openRefused(refusal: Reply): Promise<Table> {
  const replies = [refusal];
  server = await startAwsServer(() => replies.shift() ?? {});
  return withLeases(dynamoTable({ ...server.config, names }));
}

/** A refusal as DynamoDB documents it: the reason, and the ARN of the table or of the index. */
const refusal = (name: string, list: string, reason: string, resource: string): Reply =>
  errorReply(name, { [list]: [{ reason, resource: `${ARN}/${resource}` }] });

const all = () => true;

test.each([
  [
    'ProvisionedThroughputExceededException',
    'ThrottlingReasons',
    'IndexWriteKeyRangeThroughputExceeded',
    'run/index/by-namespace',
    ['day#1'],
  ],
  ['ThrottlingException', 'throttlingReasons', 'IndexWriteKeyRangeThroughputExceeded', 'run/index/by-end', ['end#1']],
  ['ThrottlingException', 'throttlingReasons', 'TableWriteKeyRangeThroughputExceeded', 'run', ['run#1']],
  // More partitions of a namespace would not help against these.
  ['ThrottlingException', 'throttlingReasons', 'TableWriteMaxOnDemandThroughputExceeded', 'run', []],
  ['ThrottlingException', 'throttlingReasons', 'TableReadKeyRangeThroughputExceeded', 'run', []],
  ['ThrottlingException', 'throttlingReasons', 'TableWriteAccountLimitExceeded', 'run', []],
] as const)('%s with %s %s of %s is about the keys %j', async (name, list, reason, resource, expected) => {
  const table = await openRefused(refusal(name, list, reason, resource));
  await table.write([RUN]);
  expect(table.takeThrottled?.(all)).toEqual(expected);
  expect(table.takeThrottled?.(all)).toEqual([]);
});

test('a cancelled transaction names the item alone, so any of its keys may be throttled; unwanted ones stay', async () => {
  const codes = ['None', 'ThrottlingError'].map((Code) => ({ Code, Message: Code }));
  const table = await openRefused(errorReply('TransactionCanceledException', { CancellationReasons: codes }));
  await table.write([RUN, EVENT]);
  expect(table.takeThrottled?.((pk) => pk.startsWith('received'))).toEqual(['received#1']);
  expect(table.takeThrottled?.(all)).toEqual(['event#1']);
});

test('an update is known by the keys that it sets, and a write that is not refused by none', async () => {
  const reason = 'IndexWriteKeyRangeThroughputExceeded';
  const table = await openRefused(refusal('ThrottlingException', 'throttlingReasons', reason, 'run/index/by-end'));
  const key = { table: 'runs', pk: 'run#1', sk: '.' } as const;
  await table.write([{ do: 'update', key, set: { endBucket: 'end#2' } }]);
  await table.write([RUN]);
  expect(table.takeThrottled?.(all)).toEqual(['end#2']);
});
