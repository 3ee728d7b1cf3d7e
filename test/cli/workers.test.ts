import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Service, startService } from '../../bin/server/service.ts';
import { startWorker, type Task, TaskError } from '../../clients/worker.ts';
import { type Client, clientOf } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const FLOW = `functions: [{id: f, type: worker, queue: jq(.queue), lease: PT1S}]
states:
- {id: go, type: action, action: {function: f, input: {image: jq(.image)}}, catch: [{error: '*'}]}
`;

let service: Service;
let client: Client;
let workspace: Workspace;
let key: string;

beforeAll(async () => {
  const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service', version: 'v0' };
  service = await startService({ ...settings, databaseEndpoint: undefined });
  client = clientOf(service.url, service.key, () => service.close());
  await client.call('PUT', '/api/namespaces/shop');
  await client.call('PUT', '/api/namespaces/shop/tree/flow?op=create-workflow', { body: FLOW });
  const made = await client.call('POST', '/api/keys', {
    json: { name: 'w', permission: 'worker', namespaces: ['shop'] },
  });
  key = String(made.json()['secret']);
  workspace = await openWorkspace(client, 'shop');
});
afterAll(async () => {
  await workspace.clear();
  await client.close();
});

const run = async (queue: string, image = 'a.png') =>
  (await client.call('POST', '/api/namespaces/shop/tree/flow?op=wait', { json: { queue, image } })).json();

const call = async (method: string, path: string, json?: object, as = key) =>
  fetch(`${service.url}/api/namespaces/${path}`, {
    method,
    headers: { 'Service-Api-Key': as },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });

const place = (queue: string) => ({ url: service.url, namespace: 'shop', queue, key, name: 'tester', wait: 'PT1S' });

test('a worker of the client serves tasks side by side, and stops when those under way are done', async () => {
  const begun: string[] = [];
  let release = () => {};
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  const worker = startWorker<{ image: string }>({ ...place('client'), concurrency: 2 }, async ({ input }) => {
    begun.push(input.image);
    if (begun.length === 2) release();
    await both;
    return { label: input.image };
  });
  const runs = Promise.all([run('client', 'a'), run('client', 'b')]);
  await both;
  await worker.stop();
  expect((await runs).map((one) => one['return'])).toEqual([{ label: 'a' }, { label: 'b' }]);
});

/** Serves one task of a queue. */
async function serveOne(queue: string, handle: (task: Task, signal: AbortSignal) => unknown): Promise<unknown> {
  const errors: unknown[] = [];
  const worker = startWorker({ ...place(queue), onError: (error) => errors.push(error) }, handle);
  const done = await run(queue);
  await worker.stop();
  expect(errors).toEqual([]);
  return done['return'] ?? done['error'];
}

test('a number beyond the doubles reaches the function and comes back with its digits', async () => {
  const worker = startWorker<{ image: number }>(place('exact'), ({ input }) => [
    input.image,
    BigInt(`${input.image}`) + 2n,
  ]);
  const body = '{"queue":"exact","image":9007199254740993}';
  const reply = await client.call('POST', '/api/namespaces/shop/tree/flow?op=wait', { body });
  await worker.stop();
  expect(reply.text.replace(/\s/g, '')).toContain('"return":[9007199254740993,9007199254740995]');
});

test('an error of the function fails the call: with the code of a TaskError, or with that of Weft', async () => {
  const coded = () => {
    throw new TaskError('image.unreadable', 'no image');
  };
  expect(await serveOne('coded', coded)).toEqual({ code: 'image.unreadable', msg: 'no image' });
  const plain = () => Promise.reject(new Error('out of memory'));
  expect(await serveOne('plain', plain)).toEqual({ code: 'service.worker.failed', msg: 'out of memory' });
});

test('a task that asks for a retry is offered again', async () => {
  const busy = ({ taken }: Task) => {
    if (taken === 1) throw new TaskError('busy', 'later', 'PT1S');
    return taken;
  };
  expect(await serveOne('busy', busy)).toBe(2);
});

test('the lease of a task is renewed while the function works', async () => {
  const slow = async ({ taken }: Task) => {
    await new Promise((resolve) => setTimeout(resolve, 1_800));
    return taken;
  };
  expect(await serveOne('slow', slow)).toBe(1);
});

test('the signal is aborted when the run is cancelled', async () => {
  let wasAborted = false;
  const worker = startWorker({ ...place('cancelled'), lease: 'PT1S' }, async ({ instance }, signal) => {
    await client.call('POST', `/api/namespaces/shop/instances/${instance}/cancel`);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    wasAborted = true;
  });
  await client.call('POST', '/api/namespaces/shop/tree/flow?op=wait', { json: { queue: 'cancelled', image: 'a' } });
  await worker.stop();
  expect(wasAborted).toBe(true);
});

/** Runs a program of the example until its task is done. */
async function withProgram(queue: string, command: string, args: readonly string[]): Promise<unknown> {
  const folder = fileURLToPath(new URL('../../examples/image-labels/', import.meta.url));
  const env = { ...process.env, WEFT_URL: service.url, WEFT_KEY: key, WEFT_NAMESPACE: 'shop' };
  let program: ChildProcess | undefined;
  try {
    program = spawn(command, [...args, queue], { cwd: folder, env, stdio: 'ignore', detached: true });
    return (await run(queue))['return'];
  } finally {
    // The shell and the processes that it runs.
    if (program?.pid !== undefined) process.kill(-program.pid);
  }
}

test.each([
  ['Python', 'python3', ['worker.py']],
  ['shell', 'sh', ['worker.sh']],
])('the worker in %s does a task', async (name, command, args) => {
  expect(await withProgram(name, command, args)).toEqual({ label: 'image a.png' });
});

test('an error of the network is one line with the time, the queue, the URL and the reason', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  const worker = startWorker({ ...place('away'), url }, () => null);
  await expect.poll(() => printed.mock.calls.length).toBeGreaterThan(0);
  await worker.stop();
  const lines = printed.mock.calls;
  printed.mockRestore();
  expect(lines[0]).toHaveLength(1);
  expect(lines[0]?.[0]).toMatch(/^\d{4}-\S+Z worker of 'shop\/away' at .+: fetch failed: connect ECONNREFUSED .+$/);
  expect(lines[0]?.[0]).toContain(`at ${url}: `);
});

test('queues and tasks are listed by the command line, and counted by the metrics', async () => {
  const started = await client.call('POST', '/api/namespaces/shop/tree/flow?op=execute', {
    json: { queue: 'listed', image: 'a' },
  });
  expect(started.status).toBe(200);
  await expect.poll(async () => (await workspace.weft(['workers', 'queues'])).out).toMatch(/listed +1 +0/);
  const held = await call('POST', 'shop/workers/listed?op=poll', { worker: 'laptop' });
  expect(held.status).toBe(200);
  expect((await workspace.weft(['workers', 'tasks', 'listed'])).out).toMatch(/leased +0 +1 .* laptop /);
  const metrics = await client.call('GET', '/api/namespaces/shop/metrics/workers');
  expect(JSON.stringify(metrics.json()['results'])).toContain('{"queue":"listed","status":"held"}');
});

test('a key of workers serves queues and nothing else, in its namespace alone', async () => {
  await client.call('PUT', '/api/namespaces/other');
  const statusOf = async (method: string, path: string, body?: object, as?: string) =>
    (await call(method, path, body, as)).status;
  expect(await statusOf('POST', 'shop/workers/q?op=poll', { wait: 'PT0S' })).toBe(200);
  expect(await statusOf('POST', 'other/workers/q?op=poll', { wait: 'PT0S' })).toBe(403);
  expect(await statusOf('GET', 'shop/workers')).toBe(403);
  expect(await statusOf('GET', 'shop/instances')).toBe(403);
  expect(await statusOf('POST', 'shop/tree/flow?op=execute', {})).toBe(403);
  const made = await client.call('POST', '/api/keys', { json: { name: 'r', permission: 'read' } });
  expect(await statusOf('POST', 'shop/workers/q?op=poll', { wait: 'PT0S' }, String(made.json()['secret']))).toBe(403);
});

test('mistakes of a worker get a status and a text', async () => {
  const bad = [
    ['poll', { max: 0 }, 400],
    ['poll', { wait: 'soon' }, 400],
    ['complete', { task: 'x', lease: 'y' }, 404],
    ['complete', { task: '0197b0c6-8f1e-7a64-9f0b-3d2c1e5a7b48', lease: 'y' }, 404],
    ['fail', { task: 'x' }, 400],
  ] as const;
  for (const [op, body, status] of bad) {
    const response = await call('POST', `shop/workers/q?op=${op}`, body);
    expect([op, response.status, await response.text()]).toEqual([op, status, expect.stringContaining('message')]);
  }
});
