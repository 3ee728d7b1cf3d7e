import { expect, test } from 'vitest';
import type { LambdaName } from '../../lib/api/registry/families.ts';
import { type RouteHandlers, responderOf } from '../../lib/api/responder.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { MemoryTable } from '../contract/memory-table.ts';

const KEY = 'the-key';

/** Asks for a path. Returns the steps of the request in their order. */
async function stepsOf(path: string, key: string, isLate = false): Promise<string[]> {
  const steps: string[] = [];
  const note = (step: string) => async () => {
    steps.push(step);
    return {};
  };
  const endpoints = { listInstances: note('work'), getVersion: note('work'), getDescription: note('work') };
  const vault = { adminKey: async () => KEY };
  const ports = { vault, table: new MemoryTable(), clock: { now: () => 0 }, settings: {} } as unknown as Ports;
  const respond = responderOf({ endpoints } as unknown as RouteHandlers<LambdaName>, ports, true);
  const head = { method: 'GET', path, base: '', query: {}, headers: { 'service-api-key': key }, address: '' };
  const turn = Promise.withResolvers<void>();
  const replied = respond(
    {
      head,
      readBody: async () => {
        steps.push('body');
        return new Uint8Array();
      },
      enter: (tenant) => {
        steps.push(`enter as '${tenant}'`);
        return isLate ? turn.promise : undefined;
      },
    },
    { awsRequestId: 'r' },
  );
  await new Promise(setImmediate);
  steps.push('later');
  turn.resolve();
  steps.push(String((await replied).status));
  return steps;
}

test.each([
  ['/api/namespaces/n/instances', 'n'],
  ['/api/version', 'the key admin'],
  ['/api/openapi.json', ''],
])('%s enters after its body and before its work, as the tenant %j', async (path, tenant) => {
  expect(await stepsOf(path, KEY)).toEqual(['body', `enter as '${tenant}'`, 'work', 'later', '200']);
});

test('no work is done for a request before it may enter', async () => {
  const steps = await stepsOf('/api/namespaces/n/instances', KEY, true);
  expect(steps).toEqual(['body', "enter as 'n'", 'later', 'work', '200']);
});

test('a request whose key is wrong does not enter', async () => {
  expect(await stepsOf('/api/namespaces/n/instances', 'wrong')).toEqual(['later', '401']);
});
