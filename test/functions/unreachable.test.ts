import type { Handler } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DeployedSpace, requestOf } from './deployed-space.ts';
import { LogLines } from './emf-lines.ts';

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let space: DeployedSpace;
let namespaces: Handler;
let lines: LogLines;

const call = async (method: string, path: string): Promise<Answer> =>
  namespaces(requestOf(method, path), { awsRequestId: 'n1' } as never, () => {}) as Promise<Answer>;

beforeAll(async () => {
  space = await DeployedSpace.open();
  vi.resetModules();
  ({ handler: namespaces } = await import('../../functions/lambdas/namespaces.ts'));
  lines = new LogLines();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await space.close();
});

test('a function on AWS whose database cannot be reached replies 503 with Retry-After, and logs the fault', async () => {
  expect((await call('PUT', '/api/namespaces/demo')).statusCode).toBe(200);
  await space.database.close();
  const { statusCode, headers, body } = await call('GET', '/api/namespaces');
  expect([statusCode, headers['Retry-After']]).toEqual([503, '5']);
  const message = 'the database cannot be reached at this moment; try again later';
  expect(JSON.parse(body)).toMatchObject({ code: 503, message });
  expect(lines.faults).toMatchObject([{ error: { name: 'UnreachableTableError' } }]);
});
