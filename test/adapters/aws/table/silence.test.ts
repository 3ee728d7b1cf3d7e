import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dynamoTable } from '../../../../lib/adapters/aws/table/table.ts';
import { ConflictError, type Item, type Table } from '../../../../lib/ports/table.ts';
import { type EmulatedTable, openEmulatedTable } from '../../../emulator/dynoxide.ts';

/** A proxy in front of the database: it forwards each request, and drops the given number of responses. */
let silent = 0;
let asked = 0;
let database: EmulatedTable;
let server: Server;
let table: Table;

beforeAll(async () => {
  database = await openEmulatedTable();
  server = createServer(async (request, response) => {
    const body = await buffer(request);
    const headers = request.headers as Record<string, string>;
    const answer = await fetch(database.endpoint, { method: 'POST', headers: pick(headers), body });
    asked += 1;
    if (silent > 0) {
      silent -= 1;
      response.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const names = { catalog: 'weft-catalog', runs: 'weft-runs', journal: 'weft-journal' };
  table = dynamoTable({ endpoint, region: 'us-east-1', credentials, names });
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await database.close();
});

const pick = ({ host: _, connection: __, 'content-length': ___, ...rest }: Record<string, string>) => rest;

const itemOf = (pk: string, more: Partial<Item> = {}): Item => ({
  pk,
  sk: '.',
  text: 'ä',
  number: 1e21,
  bytes: Buffer.from([1, 2]),
  list: [1, 'a', null, { deep: true }],
  nothing: undefined,
  ...more,
});

const create = (item: Item) => table.write([{ do: 'put', table: 'runs', item, when: { absent: true } }]);

describe('a write whose first response was lost', () => {
  test.each([1, 2])('was applied, and its repetition succeeds (%s lost)', async (lost) => {
    silent = lost;
    const before = asked;
    await create(itemOf(`lost-${lost}`));
    expect(asked - before).toBe(lost + 1);
  });

  test('is nevertheless a conflict if another process has written another item', async () => {
    await create(itemOf('taken', { text: 'theirs' }));
    silent = 1;
    await expect(create(itemOf('taken'))).rejects.toThrow(ConflictError);
  });

  test('is applied once in a transaction', async () => {
    silent = 1;
    const key = { table: 'runs', pk: 'count', sk: '.' } as const;
    await table.write([
      { do: 'put', table: 'runs', item: itemOf('in-transaction'), when: { absent: true } },
      { do: 'update', key, add: { n: 1 } },
    ]);
    const [counted] = await table.get([key]);
    expect(counted?.['n']).toBe(1);
  });
});

test('a write that is rejected at its first attempt is a conflict, also if the stored item is equal', async () => {
  await create(itemOf('twice'));
  await expect(create(itemOf('twice'))).rejects.toThrow(ConflictError);
});
