import { afterEach, describe, expect, test } from 'vitest';
import type { Call } from '../../../../lib/adapters/aws/table/client.ts';
import { dynamoTable } from '../../../../lib/adapters/aws/table/table.ts';
import { ConflictError, type Table, type Write } from '../../../../lib/ports/table.ts';
import { openEmulatedTable } from '../../../emulator/dynoxide.ts';
import { type AwsRequest, type AwsServer, errorReply, type Reply, startAwsServer } from '../server.ts';

const names = { catalog: 'cat', runs: 'run', journal: 'jou' };
const PUTS: Write[] = ['a', 'b'].map((sk) => ({ do: 'put', table: 'catalog', item: { pk: 'p', sk } }));
const CANCELLED = (...codes: string[]): Reply =>
  errorReply('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code, Message: Code })) });

let server: AwsServer;
afterEach(() => server?.close());

/** A table whose database gives these replies one after the other, then plain successes. */
async function openRefused(...replies: ((asked: AwsRequest) => Reply)[]): Promise<Table> {
  server = await startAwsServer((asked) => replies.shift()?.(asked) ?? {});
  return dynamoTable({ ...server.config, names });
}

const operations = (): string[] => server.requests.map((asked) => asked.operation);

describe('a call that the database rejects temporarily', () => {
  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'a transaction cancelled for %s is repeated with the same token',
    async (code) => {
      const table = await openRefused(() => CANCELLED('None', code));
      await table.write(PUTS);
      expect(operations()).toEqual(['TransactWriteItems', 'TransactWriteItems']);
      const tokens = server.requests.map((asked) => asked.input['ClientRequestToken']);
      expect(tokens[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(tokens[1]).toBe(tokens[0]);
    },
  );

  test('two transactions have different tokens', async () => {
    const table = await openRefused();
    await table.write(PUTS);
    await table.write(PUTS);
    expect(new Set(server.requests.map((asked) => asked.input['ClientRequestToken'])).size).toBe(2);
  });

  test.each(['TransactionConflictException', 'ProvisionedThroughputExceededException', 'ThrottlingException'])(
    'a single write rejected for %s is repeated',
    async (name) => {
      const table = await openRefused(() => errorReply(name));
      await table.write(PUTS.slice(0, 1));
      expect(operations()).toEqual(['PutItem', 'PutItem']);
    },
  );

  test('a conflict beside a failed condition is a conflict of the condition only', async () => {
    const table = await openRefused(() => CANCELLED('TransactionConflict', 'ConditionalCheckFailed'));
    const error: unknown = await table.write(PUTS).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({ failed: [1] });
    expect(operations()).toEqual(['TransactWriteItems']);
  });

  test('unprocessed keys are requested again, without the others', async () => {
    const key = (sk: string) => ({ pk: { S: 'p' }, sk: { S: sk } });
    const table = await openRefused(
      () => ({
        body: { Responses: { cat: [key('a')] }, UnprocessedKeys: { run: { Keys: [key('b')], ConsistentRead: true } } },
      }),
      () => ({ body: { UnprocessedKeys: { run: { Keys: [key('b')], ConsistentRead: true } } } }),
      () => ({ body: { Responses: { run: [key('b')] } } }),
    );
    const items = await table.get([
      { table: 'runs', pk: 'p', sk: 'b' },
      { table: 'catalog', pk: 'p', sk: 'a' },
    ]);
    expect(items.map((item) => item?.sk)).toEqual(['b', 'a']);
    const asked = server.requests.map(({ input }) => Object.keys(input['RequestItems'] ?? {}));
    expect(asked).toEqual([['run', 'cat'], ['run'], ['run']]);
  });

  test('a permanent error is thrown at once', async () => {
    const table = await openRefused(() => errorReply('ValidationException'));
    await expect(table.write(PUTS)).rejects.toThrow('ValidationException');
    expect(operations()).toEqual(['TransactWriteItems']);
  });
});

describe('every read of a table is strongly consistent', () => {
  test('by one key, several keys and a query; only a query of an index cannot be', async () => {
    const table = await openRefused();
    const key = { table: 'runs', pk: 'p', sk: 'a' } as const;
    await table.get([key]);
    await table.get([key, { ...key, sk: 'b' }]);
    await table.query({ table: 'runs', pk: 'p' });
    await table.query({ table: 'runs', index: 'by-namespace', pk: 'p' });
    const [one, several, query, index] = server.requests.map((asked) => asked.input);
    expect([one, query, index].map((input) => input?.['ConsistentRead'])).toEqual([true, true, undefined]);
    expect(several?.['RequestItems']).toMatchObject({ run: { ConsistentRead: true } });
  });
});

describe('the count of calls', () => {
  test('reports each call once with its tables and its consumed capacity', async () => {
    const calls: Call[] = [];
    const { table, close } = await openEmulatedTable({ onCall: (call) => calls.push(call) });
    await table.write([{ do: 'put', table: 'runs', item: { pk: 'p', sk: 'a' } }]);
    await table.write([...PUTS, { do: 'delete', key: { table: 'runs', pk: 'p', sk: 'a' } }]);
    await table.get([{ table: 'runs', pk: 'p', sk: 'a' }]);
    await table.get([
      { table: 'runs', pk: 'p', sk: 'a' },
      { table: 'journal', pk: 'p', sk: 'a' },
    ]);
    await table.query({ table: 'catalog', pk: 'p' });
    expect(calls.map(({ operation, table: name }) => `${operation} ${name}`)).toEqual([
      'PutItem runs',
      'TransactWriteItems catalog+runs',
      'GetItem runs',
      'BatchGetItem runs+journal',
      'Query catalog',
    ]);
    expect(calls.map(({ units }) => units)).toEqual([1, 6, 1, 2, 1]);
    await close();
  });

  test('reports a call that failed', async () => {
    const calls: Call[] = [];
    const { table, close } = await openEmulatedTable({ onCall: (call) => calls.push(call) });
    const missing: Write = { do: 'delete', key: { table: 'runs', pk: 'p', sk: 'a' }, when: { present: true } };
    await expect(table.write([missing])).rejects.toThrow(ConflictError);
    expect(calls).toEqual([{ operation: 'DeleteItem', table: 'runs' }]);
    await close();
  });
});
