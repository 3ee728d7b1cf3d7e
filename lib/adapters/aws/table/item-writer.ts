import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { ConflictError, type Item, type Value, type Write } from '../../../ports/table.ts';
import { attemptsOf, type Database } from './client.ts';
import { conditionText, Placeholders, updateText } from './expression.ts';
import type { Throttles } from './throttles.ts';
import { type Attributes, marshalItem, unmarshalItem } from './values.ts';

/** DynamoDB's limit for one transaction. */
const MAX_WRITES = 100;

type Change = Exclude<Write, { do: 'check' }>;
type NoteError = (error: unknown) => void;

/** The step of the SDK's client that sees each attempt: the client repeats throttled ones itself, for seconds. */
const OF_EACH_ATTEMPT = { step: 'deserialize', priority: 'high' } as const;

/** A part of the SDK's client that gives errors to `note`. */
const noting =
  (note: NoteError) =>
  <Sent, Received>(next: (sent: Sent) => Promise<Received>) =>
  async (sent: Sent): Promise<Received> => {
    try {
      return await next(sent);
    } catch (error) {
      note(error);
      throw error;
    }
  };

/**
 * Writes all items or none. An empty list needs no request. `throttles` gets the errors of all attempts.
 * @throws ConflictError when a condition does not hold; Error for more than 100 writes, for two writes of one item, and for
 * an item above 400 KB.
 */
export async function writeItems(
  database: Database,
  writes: readonly Write[],
  throttles: Pick<Throttles, 'note'>,
): Promise<void> {
  const [first, ...others] = writes;
  if (first === undefined) return;
  if (writes.length > MAX_WRITES) throw new Error(`${writes.length} writes at once; at most ${MAX_WRITES}`);
  try {
    const note = (error: unknown) => throttles.note(error, writes);
    if (others.length === 0 && first.do !== 'check') await writeOne(database, first, note);
    else await writeAll(database, writes, note);
  } catch (error) {
    if (others.length === 0 && wasDone(first, error)) return;
    throw toPortError(error, writes);
  }
}

/**
 * Whether a rejected write was done by an earlier attempt of the same call, whose response was lost: the stored item is
 * the one to be written. A transaction has an idempotency token for that.
 */
function wasDone(write: Write, error: unknown): boolean {
  if (!(error instanceof ConditionalCheckFailedException) || attemptsOf(error) === 1) return false;
  if (write.do !== 'put' || error.Item === undefined) return false;
  // Both are converted in the same way, because the database normalizes numbers.
  const [wanted, found] = [marshalItem(write.item), error.Item].map((item) => comparable(unmarshalItem(item)));
  return isDeepStrictEqual(wanted, found);
}

/** A form in which bytes of different classes are equal. */
function comparable(value: Value | Item | undefined): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(comparable);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, comparable(one)]));
}

function writeOne(database: Database, write: Change, note: NoteError): Promise<unknown> {
  const table = tableOf(write);
  const { capacity } = database;
  switch (write.do) {
    case 'put': {
      const shown = write.when === undefined ? {} : { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
      const command = new PutItemCommand({ ...putOf(database, write), ...shown, ...capacity });
      command.middlewareStack.add(noting(note), OF_EACH_ATTEMPT);
      return database.call('PutItem', table, (client) => client.send(command));
    }
    case 'update': {
      const command = new UpdateItemCommand({ ...updateOf(database, write), ...capacity });
      command.middlewareStack.add(noting(note), OF_EACH_ATTEMPT);
      return database.call('UpdateItem', table, (client) => client.send(command));
    }
    case 'delete': {
      const command = new DeleteItemCommand({ ...keyedOf(database, write), ...capacity });
      command.middlewareStack.add(noting(note), OF_EACH_ATTEMPT);
      return database.call('DeleteItem', table, (client) => client.send(command));
    }
  }
}

function writeAll(database: Database, writes: readonly Write[], note: NoteError): Promise<unknown> {
  const tables = new Set(writes.map(tableOf));
  const command = new TransactWriteItemsCommand({
    TransactItems: writes.map((write) => transactItem(database, write)),
    // The same for all attempts: one that seemed to fail may have been written.
    ClientRequestToken: randomUUID(),
    ...database.capacity,
  });
  command.middlewareStack.add(noting(note), OF_EACH_ATTEMPT);
  return database.call('TransactWriteItems', [...tables].join('+'), (client) => client.send(command));
}

function transactItem(database: Database, write: Write): TransactWriteItem {
  switch (write.do) {
    case 'put':
      return { Put: putOf(database, write) };
    case 'update':
      return { Update: updateOf(database, write) };
    case 'delete':
      return { Delete: keyedOf(database, write) };
    case 'check': {
      const check = keyedOf(database, write);
      if (check.ConditionExpression === undefined) throw new Error('a check asks for nothing');
      return { ConditionCheck: { ...check, ConditionExpression: check.ConditionExpression } };
    }
  }
}

function putOf(database: Database, write: Extract<Write, { do: 'put' }>) {
  const holders = new Placeholders();
  const condition = conditionText(write.when, holders);
  return {
    TableName: database.names[write.table],
    Item: marshalItem(write.item),
    ...(condition && { ConditionExpression: condition }),
    ...holders.fields(),
  };
}

function updateOf(database: Database, write: Extract<Write, { do: 'update' }>) {
  const holders = new Placeholders();
  const condition = conditionText(write.when, holders);
  return {
    TableName: database.names[write.key.table],
    Key: attributesOf(write),
    UpdateExpression: updateText(write, holders),
    ...(condition && { ConditionExpression: condition }),
    ...holders.fields(),
  };
}

function keyedOf(database: Database, write: Extract<Write, { do: 'delete' | 'check' }>) {
  const holders = new Placeholders();
  const condition = conditionText(write.when, holders);
  return {
    TableName: database.names[write.key.table],
    Key: attributesOf(write),
    ...(condition && { ConditionExpression: condition }),
    ...holders.fields(),
  };
}

function attributesOf(write: Exclude<Write, { do: 'put' }>): Attributes {
  return { pk: { S: write.key.pk }, sk: { S: write.key.sk } };
}

function tableOf(write: Write): string {
  return write.do === 'put' ? write.table : write.key.table;
}

/** The error of the port for an error of DynamoDB; any other error stays as it is. */
function toPortError(error: unknown, writes: readonly Write[]): unknown {
  if (error instanceof ConditionalCheckFailedException) return new ConflictError([0]);
  if (error instanceof TransactionCanceledException) {
    const reasons = error.CancellationReasons ?? [];
    const failed = reasons.flatMap((reason, index) => (reason.Code === 'ConditionalCheckFailed' ? [index] : []));
    if (failed.length > 0) return new ConflictError(failed);
    const large = reasons.findIndex((reason) => isTooLarge(reason.Message));
    if (large >= 0) return tooLarge(writes[large], error);
  }
  return error instanceof Error && isTooLarge(error.message) ? tooLarge(writes[0], error) : error;
}

function isTooLarge(message: string | undefined): boolean {
  return message !== undefined && /item size .*exceeded/i.test(message);
}

function tooLarge(write: Write | undefined, cause: unknown): Error {
  const key = write?.do === 'put' ? write.item : write?.key;
  const item = write && key ? `${tableOf(write)} ${key.pk} ${key.sk}` : 'an item';
  return new Error(`${item} is above the 400 KB that an item may hold`, { cause });
}
