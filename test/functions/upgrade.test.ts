import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../functions/deploy/upgrade.ts';
import { type AwsServer, startAwsServer } from '../adapters/aws/server.ts';
import { type EmulatedTable, openEmulatedTable } from '../emulator/dynoxide.ts';
import { LogLines } from './emf-lines.ts';

// A release with one migration.
vi.mock(import('../../lib/domain/migrations/index.ts'), async (original) => {
  const { renaming } = await import('../adapters/local/database/renaming.ts');
  return { ...(await original()), MIGRATIONS: [renaming()] };
});

/** The tables as they are deployed, and the address where CloudFormation waits. */
let database: EmulatedTable;
let server: AwsServer;
const answers: Record<string, unknown>[] = [];
let status = 200;
const VERSION = { table: 'catalog', pk: 'schema', sk: '.' } as const;
const LINE = { table: 'journal', pk: 'line', sk: '.' } as const;

beforeAll(async () => {
  database = await openEmulatedTable();
  server = await startAwsServer(({ bytes }) => {
    answers.push(JSON.parse(Buffer.from(bytes).toString()));
    return { status };
  });
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    WEFT_CATALOG: 'weft-catalog',
    WEFT_RUNS: 'weft-runs',
    WEFT_JOURNAL: 'weft-journal',
    WEFT_BRAND: 'service',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
beforeEach(async () => {
  answers.length = 0;
  await database.table.write([
    { do: 'delete', key: VERSION },
    { do: 'put', table: 'journal', item: { pk: LINE.pk, sk: LINE.sk, before: 1 } },
  ]);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
  await server.close();
});

const asked = (RequestType: string): CloudFormationCustomResourceEvent =>
  ({
    RequestType,
    ResponseURL: `${server.config.endpoint}/answer`,
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'logical',
    PhysicalResourceId: 'weft',
    ResourceProperties: { ServiceToken: 'token', name: 'weft', schema: '2' },
  }) as unknown as CloudFormationCustomResourceEvent;

async function found() {
  const [schema] = await database.table.get([VERSION]);
  const [line] = await database.table.get([LINE]);
  return { version: schema?.['version'], line };
}

const KEY = { pk: LINE.pk, sk: LINE.sk };
const MIGRATED = { version: 2, line: { ...KEY, after: 1 } };

test.each(['Create', 'Update'])(
  '%s migrates the tables to the schema version of the deployed release',
  async (type) => {
    await handler(asked(type));
    expect(await found()).toEqual(MIGRATED);
    expect(answers).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: 'weft' }]);
  },
);

test('the daily call migrates them too', async () => {
  await handler({});
  expect(await found()).toEqual(MIGRATED);
  expect(answers).toEqual([]);
});

test('deleting the stack changes nothing', async () => {
  await handler(asked('Delete'));
  expect(await found()).toEqual({ version: undefined, line: { ...KEY, before: 1 } });
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test('a response that does not arrive is sent again by the next call, and is never a failure', async () => {
  status = 503;
  await expect(handler(asked('Update'))).rejects.toThrow('rejected the response: 503');
  status = 200;
  await handler(asked('Update'));
  expect(answers.map(({ Status }) => Status)).toEqual(['SUCCESS', 'SUCCESS']);
});

test('tables of a newer version fail the deployment with a message', async () => {
  await database.table.write([{ do: 'put', table: 'catalog', item: { pk: VERSION.pk, sk: VERSION.sk, version: 3 } }]);
  const lines = new LogLines();
  await handler(asked('Update'));
  await expect(handler({})).rejects.toThrow('schema version 3');
  vi.restoreAllMocks();
  expect(lines.faults).toHaveLength(2);
  expect(answers).toMatchObject([
    {
      Status: 'FAILED',
      Reason: expect.stringContaining('schema version 3, but this version of Weft supports versions up to 2'),
    },
  ]);
});
