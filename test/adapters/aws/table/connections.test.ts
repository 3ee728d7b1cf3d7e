import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { dynamoTable } from '../../../../lib/adapters/aws/table/table.ts';
import { UnreachableTableError } from '../../../../lib/ports/table.ts';

/** A port on which no server listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a database that cannot be reached is reported as such, after repeated attempts', async () => {
  const endpoint = `http://127.0.0.1:${await closedPort()}`;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const names = { catalog: 'c', runs: 'r', journal: 'j' };
  const table = dynamoTable({ endpoint, region: 'us-east-1', credentials, names });
  const error = await table.get([{ table: 'catalog', pk: 'a', sk: 'b' }]).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnreachableTableError);
  const { $metadata } = (error as Error).cause as { readonly $metadata: { readonly attempts: number } };
  expect($metadata.attempts).toBeGreaterThan(2);
});
