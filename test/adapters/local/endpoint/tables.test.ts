import { DeleteTableCommand, DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readSettings } from '../../../../bin/server/settings.ts';
import { upgrade } from '../../../../bin/server/upgrade.ts';
import {
  createTables,
  endpointClient,
  type FoundEndpoint,
  openEndpointTable,
} from '../../../../lib/adapters/local/endpoint/tables.ts';
import { MIGRATIONS } from '../../../../lib/domain/migrations/index.ts';
import { type Emulator, startDynoxide } from '../../../emulator/dynoxide.ts';
import { errorReply, startAwsServer } from '../../aws/server.ts';
import { renaming } from '../database/renaming.ts';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startDynoxide();
});
afterAll(() => emulator.close());

const migrate =
  (migrations = MIGRATIONS) =>
  (found: FoundEndpoint) =>
    upgrade({ ...found, keepCopy: () => undefined }, migrations);
const open = (migrations = MIGRATIONS) => openEndpointTable({ ...emulator, upgrade: migrate(migrations) });

test('the tables of a database are used by two services in turn', async () => {
  const first = await open();
  await first.table.write([{ do: 'put', table: 'runs', item: { pk: 'kept', sk: '.' } }]);
  await first.close();
  const second = await open();
  expect(await second.table.get([{ table: 'runs', pk: 'kept', sk: '.' }])).toEqual([{ pk: 'kept', sk: '.' }]);
  await second.close();
});

test('tables are created once, with any names', async () => {
  const client = endpointClient(emulator.endpoint);
  const names = { catalog: 'one', runs: 'two', journal: 'three' };
  expect(await createTables(client, names)).toBe(true);
  expect(await Promise.all([createTables(client, names), createTables(client, names)])).toEqual([false, false]);
  client.destroy();
});

test('tables of an older schema version are migrated, without a copy', async () => {
  await (await open()).close();
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  await (await open([...MIGRATIONS, renaming()])).close();
  const printed = log.mock.calls.flat();
  log.mockRestore();
  expect(printed).toEqual(['Migrating the tables from schema version 1 to 2; no copy is kept.']);
  await expect(open()).rejects.toThrow('the tables have schema version 2');
});

test('indexes with another definition are created again over the existing items', async () => {
  const first = await openEndpointTable(emulator);
  const item = { pk: 'run#i', sk: '.', nsBucket: 'ns', order: '1', as: 'flow' };
  await first.table.write([{ do: 'put', table: 'runs', item }]);
  await first.close();
  const client = endpointClient(emulator.endpoint);
  const alter = (change: object) =>
    client.send(new UpdateTableCommand({ TableName: 'weft-runs', GlobalSecondaryIndexUpdates: [change] }));
  await alter({ Delete: { IndexName: 'by-namespace' } });
  await alter({ Delete: { IndexName: 'by-end' } });
  await client.send(
    new UpdateTableCommand({
      TableName: 'weft-runs',
      AttributeDefinitions: ['pk', 'sk', 'nsBucket', 'id'].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: 'by-namespace',
            KeySchema: [
              { AttributeName: 'nsBucket', KeyType: 'HASH' },
              { AttributeName: 'id', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        },
      ],
    }),
  );
  await client.send(new DeleteTableCommand({ TableName: 'weft-journal' }));
  const { table, close } = await openEndpointTable(emulator);
  const page = await table.query({ table: 'runs', index: 'by-namespace', pk: 'ns' });
  const { Table: runs } = await client.send(new DescribeTableCommand({ TableName: 'weft-runs' }));
  client.destroy();
  await close();
  expect(page.items).toEqual([item]);
  expect(runs?.GlobalSecondaryIndexes?.map(({ IndexName: name }) => name).sort()).toEqual(['by-end', 'by-namespace']);
});

test('requests name the region of the settings, because some databases refuse the region `local`', async () => {
  const server = await startAwsServer(() => errorReply('ValidationException'));
  const regions: unknown[] = [];
  for (const region of [undefined, 'eu-west-1']) {
    const options = { endpoint: server.config.endpoint, ...(region && { region }) };
    await expect(openEndpointTable({ ...options, upgrade: migrate() })).rejects.toThrow('ValidationException');
    const { authorization } = server.requests.at(-1)?.headers ?? {};
    regions.push(/Credential=\w+\/\d+\/([\w-]+)\/dynamodb\//.exec(String(authorization))?.[1]);
  }
  await server.close();
  expect(regions).toEqual(['local', 'eu-west-1']);
  expect(readSettings({ DYNAMODB_ENDPOINT: 'http://h', DYNAMODB_REGION: 'eu-west-1' })).toMatchObject({
    databaseRegion: 'eu-west-1',
  });
});
