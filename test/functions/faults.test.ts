import type { Handler } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DeployedSpace, requestOf } from './deployed-space.ts';
import { LogLines } from './emf-lines.ts';

const SOURCES = {
  hello: 'states:\n- {id: a, type: noop}\n',
  sends: 'states:\n- {id: a, type: generateEvent, event: {type: sent, source: /a}}\n',
  waits: 'states:\n- {id: a, type: consumeEvent, event: {type: paid}}\n',
  starts: 'start: {type: event, event: {type: ordered}}\nstates:\n- {id: a, type: noop}\n',
  nightly: "start: {type: scheduled, cron: '0 3 * * *'}\nstates:\n- {id: a, type: noop}\n",
};
const NUMBER = { awsRequestId: 'n1' };
const PLANNED = '2026-11-21T03:00:00Z';

let space: DeployedSpace;
let lines: LogLines;
let tree: Handler;
let namespaces: Handler;
let events: Handler;
let steps: typeof import('../../functions/triggers/steps.ts').handler;
let router: typeof import('../../functions/triggers/router.ts').handler;
let cron: typeof import('../../functions/triggers/cron.ts').handler;
let lifecycle: typeof import('../../functions/triggers/lifecycle.ts').handler;

async function call(handler: Handler, ...request: Parameters<typeof requestOf>): Promise<string> {
  const answer = (await handler(requestOf(...request), NUMBER as never, () => {})) as {
    statusCode: number;
    body: string;
  };
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.body;
}

const path = (name: string): string => `/api/namespaces/demo/tree/${name}`;

async function execute(name: string): Promise<string> {
  return (JSON.parse(await call(tree, 'POST', path(name), '{}', { op: 'execute' })) as { instance: string }).instance;
}

/** An event of that type, as the bus passes it on. */
async function broadcast(type: string): Promise<Parameters<typeof router>[0]> {
  const event = JSON.stringify({ specversion: '1.0', id: type, source: '/test', type });
  await call(events, 'POST', '/api/namespaces/demo/broadcast', event);
  const { Entries } = space.asked('PutEvents').at(-1) as { readonly Entries: readonly { readonly Detail: string }[] };
  return { detail: JSON.parse(Entries[0]?.Detail ?? '') } as Parameters<typeof router>[0];
}

/** The fault that a call logs when an operation of AWS fails. */
async function faultOf(operation: string, work: () => Promise<unknown>): Promise<Record<string, unknown>> {
  space.refuse(operation);
  await expect(work()).rejects.toThrow();
  space.refuse(operation, false);
  const [fault = {}, ...others] = lines.faults;
  expect(others).toEqual([]);
  expect(fault).toMatchObject({ level: 'ERROR', error: { name: 'AccessDeniedException' } });
  return fault;
}

describe('a fault outside a request is logged with the names of what it concerns', () => {
  beforeAll(async () => {
    // Machines begin the runs, so that each function calls Step Functions.
    space = await DeployedSpace.open({ WEFT_START_BUDGET_MS: '0' });
    vi.resetModules();
    [{ handler: tree }, { handler: namespaces }, { handler: events }] = await Promise.all([
      import('../../functions/lambdas/tree.ts'),
      import('../../functions/lambdas/namespaces.ts'),
      import('../../functions/lambdas/events.ts'),
    ]);
    [{ handler: steps }, { handler: router }, { handler: cron }, { handler: lifecycle }] = await Promise.all([
      import('../../functions/triggers/steps.ts'),
      import('../../functions/triggers/router.ts'),
      import('../../functions/triggers/cron.ts'),
      import('../../functions/triggers/lifecycle.ts'),
    ]);
    lines = new LogLines();
    await call(namespaces, 'PUT', '/api/namespaces/demo');
    for (const [name, source] of Object.entries(SOURCES)) {
      await call(tree, 'PUT', path(name), source, { op: 'create-workflow' });
    }
  });
  afterEach(() => lines.clear());
  afterAll(async () => {
    vi.restoreAllMocks();
    await space.close();
  });

  test('steps: the run that it continues', async () => {
    const instance = await execute('sends');
    const fault = await faultOf('PutEvents', () => steps({ run: instance }, NUMBER));
    expect(fault).toMatchObject({ instance, workflow: '/sends', namespace: 'demo', requestId: 'n1' });
  });

  test('router: the run that waits for the event', async () => {
    const instance = await execute('waits');
    await steps({ run: instance }, NUMBER);
    await steps({ run: instance, listen: 1, token: 'task' }, NUMBER);
    const event = await broadcast('paid');
    const fault = await faultOf('SendTaskFailure', () => router(event, NUMBER));
    expect(fault).toMatchObject({ instance, workflow: '/waits', namespace: 'demo', event: 'paid', requestId: 'n1' });
  });

  test('router: the workflow that the event starts', async () => {
    const event = await broadcast('ordered');
    const fault = await faultOf('StartExecution', () => router(event, NUMBER));
    expect(fault).toMatchObject({ workflow: '/starts', namespace: 'demo', event: 'ordered', requestId: 'n1' });
  });

  test('cron: the run of the planned time', async () => {
    const { oid: id } = JSON.parse(await call(tree, 'GET', path('nightly'))) as { readonly oid: string };
    const tick = { target: { id, namespace: 'demo', workflow: '/nightly' }, planned: PLANNED };
    const fault = await faultOf('StartExecution', () => cron(tick, NUMBER));
    await cron(tick, NUMBER);
    const [started] = space.asked('StartExecution').slice(-1);
    expect(fault).toMatchObject({ workflow: '/nightly', namespace: 'demo', planned: PLANNED, requestId: 'n1' });
    expect(fault['instance']).toBe(started?.['name']);
  });

  test('lifecycle: the run whose execution ended', async () => {
    const config = JSON.stringify({ broadcast: { 'instance.failed': true } });
    await call(namespaces, 'PATCH', '/api/namespaces/demo/config', config);
    const instance = await execute('hello');
    const event = { detail: { name: instance, status: 'ABORTED' } } as Parameters<typeof lifecycle>[0];
    const fault = await faultOf('StartExecution', () => lifecycle(event, NUMBER));
    expect(fault).toMatchObject({
      instance,
      workflow: '/hello',
      namespace: 'demo',
      status: 'ABORTED',
      requestId: 'n1',
    });
  });
});
