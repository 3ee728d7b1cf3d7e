import { describe, expect, test } from 'vitest';
import type { RequestHead } from '../../lib/api/http/request.ts';
import type { LambdaName } from '../../lib/api/registry/families.ts';
import { type RouteId, routes, rows } from '../../lib/api/registry/routes/index.ts';
import { type RouteHandlers, responderOf } from '../../lib/api/responder.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { MemoryTable } from '../contract/memory-table.ts';

const KEY = 'the-key';

interface Asked {
  readonly method?: string;
  readonly query?: RequestHead['query'];
  readonly isLate?: boolean;
}

/** Asks for a path. Returns the steps of the request in their order. */
async function stepsOf(path: string, key: string, { method = 'GET', query = {}, isLate = false }: Asked = {}) {
  const steps: string[] = [];
  const work = async () => {
    steps.push('work');
    return {};
  };
  const endpoints = Object.fromEntries(Object.keys(routes).map((id) => [id, work]));
  const vault = { adminKey: async () => KEY };
  const ports = { vault, table: new MemoryTable(), clock: { now: () => 0 }, settings: {} } as unknown as Ports;
  const respond = responderOf({ endpoints } as unknown as RouteHandlers<LambdaName>, ports, true);
  const head = { method, path, base: '', query, headers: { 'service-api-key': key }, address: '' };
  const turn = Promise.withResolvers<void>();
  const replied = respond(
    {
      head,
      readBody: async () => {
        steps.push('body');
        return Buffer.from('{}');
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
  const steps = await stepsOf('/api/namespaces/n/instances', KEY, { isLate: true });
  expect(steps).toEqual(['body', "enter as 'n'", 'later', 'work', '200']);
});

test.each(['/api/nothing', '/api/namespaces/'])(
  '%s, which is no route, has its reply in the turn of its address',
  async (path) => {
    expect((await stepsOf(path, KEY, { method: 'PATCH', isLate: true })).slice(0, 2)).toEqual(["enter as ''", 'later']);
  },
);

/**
 * The routes that need no key, and why: a new one is bounded by the turns and the bytes of the address of its client alone.
 * `cached`: the reply is made once. `sender`: the workflow of the webhook or the signature of the link decides. `issuer`:
 * the issuer decides; few are redeemed at once, and its documents are cached.
 */
const WITHOUT_KEY: Readonly<Partial<Record<RouteId, 'cached' | 'sender' | 'issuer'>>> = {
  getSignIn: 'issuer',
  redeemSignIn: 'issuer',
  getDescription: 'cached',
  getWorkflowSchema: 'cached',
  receiveWebhook: 'sender',
  receiveWebhookByGet: 'sender',
  receiveWebhookByPut: 'sender',
};

describe.each(rows)('%s', (id, { method, path, op }) => {
  const place = `/api${path.replaceAll(/\{\w+\+?\}/g, 'x')}`;
  const asked: Asked = { method, ...(op === undefined ? {} : { query: { op: [op] } }) };

  test.each(['', 'wrong'])(
    'without a valid key (%j) has the turn of its address, and no body or work before it',
    async (key) => {
      const steps = await stepsOf(place, key, { ...asked, isLate: true });
      if (WITHOUT_KEY[id] !== undefined) expect(steps).toEqual(['body', "enter as ''", 'later', 'work', '200']);
      else expect(steps).toEqual(["enter as ''", 'later', '401']);
    },
  );
});

test('replies that need no key are made once', async () => {
  const { endpoints } = await import('../../functions/http/system.ts');
  for (const [id] of Object.entries(WITHOUT_KEY).filter(([, kind]) => kind === 'cached')) {
    const endpoint = endpoints[id as 'getDescription'] as (
      ports: object,
      call: object,
    ) => { readonly body: Uint8Array };
    expect(endpoint({}, { headers: {} }).body).toBe(endpoint({}, { headers: {} }).body);
  }
});
