import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type OperationName, type WeftClient, WeftError } from '../../clients/api/index.ts';
import { operations } from '../../clients/api/operations.ts';
import { type Client, openClient } from '../service/access/client.ts';

const FAILS = 'states:\n- {id: a, type: error, error: my.code, message: no}\n';
const GREET = 'states:\n- id: greet\n  type: noop\n  transform:\n    greeting: jq("Hello, " + .name)\n';

let service: Client;
let weft: WeftClient;
beforeAll(async () => {
  service = await openClient();
  weft = createClient({ url: service.url, key: service.key });
  await weft.call('createNamespace', { path: { namespace: 'typed' } });
  await weft.call('createWorkflow', { path: { namespace: 'typed', node: 'a-greet' }, body: GREET });
  await weft.call('createWorkflow', { path: { namespace: 'typed', node: 'fails' }, body: FAILS });
});
afterAll(() => service.close());

describe('the client of the package', () => {
  test('calls operations with the types of the API', async () => {
    const { results } = await weft.call('listNamespaces');
    expect(results.map(({ name }) => name)).toContain('typed');
    const path = { namespace: 'typed', node: 'a-greet' };
    const node: string = (await weft.call('getRouter', { path })).node.name;
    expect(node).toBe('a-greet');
    // @ts-expect-error: the path is required.
    await expect(weft.call('getRouter')).rejects.toThrow(WeftError);
    // @ts-expect-error: there is no such operation.
    await expect(weft.call('nosuch')).rejects.toThrow(TypeError);
  });

  test('sends raw bodies, queries and slashes of paths as they are', async () => {
    await weft.call('createDirectory', { path: { namespace: 'typed', node: 'deep' } });
    await weft.call('createWorkflow', { path: { namespace: 'typed', node: 'deep/er' }, body: GREET });
    const list = await weft.call('listInstances', {
      path: { namespace: 'typed' },
      query: { limit: 1, 'filter.field': ['AS'], 'filter.type': ['CONTAINS'], 'filter.val': ['none'] },
    });
    expect(list.instances.results).toEqual([]);
  });

  test('returns a number beyond the doubles with all its digits', async () => {
    const path = { namespace: 'typed', node: 'a-greet' };
    const body = '{"name":"Ada","id":9007199254740993}';
    const { instance } = await weft.call('executeWorkflow', { path, body });
    const step = await weft.call('getInstanceStep', { path: { namespace: 'typed', instance, step: '1' } });
    expect(`${(step.in as { readonly id: number }).id}`).toBe('9007199254740993');
  });

  test('throws the status, the text and the details of a refusal', async () => {
    const error = await weft
      .call('createWorkflow', { path: { namespace: 'typed', node: 'bad' }, body: 'states: 1' })
      .catch((one) => one);
    expect(error).toBeInstanceOf(WeftError);
    expect(error).toMatchObject({
      status: 406,
      message: 'invalid type for states',
      details: { problems: [{ line: 1 }] },
    });
  });

  test('yields the frames of a stream until it is aborted', async () => {
    const stopping = new AbortController();
    const frames = weft.stream('listNamespaces', { signal: stopping.signal });
    const first = await frames.next();
    expect(first.value?.results.map(({ name }: { readonly name: string }) => name)).toContain('typed');
    stopping.abort();
    await expect(frames.next()).rejects.toThrow();
  });
});

interface Described {
  readonly operationId: string;
  readonly 'x-operations'?: readonly Described[];
}

const described = (): string[] => {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, Described>>;
  };
  const all = Object.values(paths).flatMap((methods) => Object.values(methods));
  return all.flatMap((one) => one['x-operations'] ?? [one]).map(({ operationId }) => operationId);
};

/** Values for the paths of all operations; the things that they name may be missing, which the service then reports. */
const PARAMS = {
  namespace: 'all',
  node: 'greet',
  instance: '',
  variable: 'v',
  secret: 's',
  service: 'resize',
  queue: 'jobs',
  revision: '00001',
  pod: 'p',
  event: 'e1',
  filter: 'f',
  delivery: '',
  key: 'k',
  step: '1',
};
/** Called last: they remove resources that others need. */
const DELETES = (name: string): number =>
  /^delete|^untag|^revoke|^discard/.test(name) ? (name === 'deleteNamespace' ? 2 : 1) : 0;
const BODIES: Readonly<Record<string, unknown>> = {
  createWorkflow: GREET,
  updateWorkflow: GREET,
  validateWorkflow: GREET,
  toggleWorkflow: { live: true },
  pollTasks: { wait: 'PT0S' },
  createSecret: 'x',
  overwriteSecret: 'y',
  broadcastEvent: '{"specversion":"1.0","id":"e1","source":"s","type":"t"}',
  jq: { query: '.', data: 'e30=' },
  createFilter: 'return event',
  renameNode: { new: 'greet' },
};

describe('every operation of the OpenAPI document', () => {
  test('has a signature', () => {
    expect(Object.keys(operations).toSorted()).toEqual(described().toSorted());
  });

  test('reaches its route through the client: success, or an error that the service explains', async () => {
    await weft.call('createNamespace', { path: { namespace: 'all' } });
    await weft.call('createWorkflow', { path: { namespace: 'all', node: 'greet' }, body: GREET });
    const { instance } = await weft.call('executeWorkflow', {
      path: { namespace: 'all', node: 'greet' },
      body: '{"name":"x"}',
    });
    const path = { ...PARAMS, instance, delivery: instance };
    const names = (Object.keys(operations) as OperationName[]).toSorted((a, b) => DELETES(a) - DELETES(b));
    const untyped = weft as unknown as { call(name: string, options: object): Promise<unknown> };
    const outcomes: Record<string, number> = {};
    for (const name of names) {
      const { method } = operations[name];
      const body = method === 'GET' ? {} : { body: BODIES[name] ?? (method === 'DELETE' ? undefined : {}) };
      const call = untyped.call(name, {
        path,
        ...body,
        query: { ref: 'latest', var: 'v', svn: 'resize', version: '1', recursive: true },
        signal: AbortSignal.timeout(20_000),
      });
      const status = await call.then(
        () => 200,
        (error: unknown) => {
          if (error instanceof WeftError) return error.message === '404 page not found' ? -1 : error.status;
          throw new Error(`${name}: ${error}`);
        },
      );
      outcomes[name] = status;
    }
    // A request without a route gets 405, or 404 with this text; so does a webhook that does not exist.
    const unrouted = Object.entries(outcomes).filter(([, status]) => status === 405 || status === -1);
    expect(unrouted.map(([name]) => name)).toEqual(names.filter((name) => name.startsWith('receiveWebhook')));
    expect(Object.values(outcomes).filter((status) => status === 200).length).toBeGreaterThan(70);
  }, 60_000);
});
