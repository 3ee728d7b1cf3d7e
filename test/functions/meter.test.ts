import type { Handler } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DeployedSpace, requestOf } from './deployed-space.ts';
import { LogLines } from './emf-lines.ts';

const HELLO = 'states:\n- {id: a, type: noop}\n';
const FAILS = 'states:\n- {id: a, type: error, error: no, message: no}\n';
const WAITS = `
states:
- id: a
  type: consumeEvent
  event: {type: paid}
`;
const STARTS = 'start: {type: event, event: {type: paid}}\nstates:\n- {id: a, type: noop}\n';
const COLLECTS = 'start: {type: eventsAnd, events: [{type: left}, {type: right}]}\nstates:\n- {id: a, type: noop}\n';
const CONTEXT = { awsRequestId: 'n1' };

interface Handlers {
  readonly namespaces: Handler;
  readonly tree: Handler;
  readonly events: Handler;
  readonly system: Handler;
  readonly steps: typeof import('../../functions/triggers/steps.ts').handler;
  readonly router: typeof import('../../functions/triggers/router.ts').handler;
  readonly lifecycle: typeof import('../../functions/triggers/lifecycle.ts').handler;
  readonly failures: typeof import('../../functions/triggers/failures.ts').handler;
}

/** Loads the functions as a new process does, with the present environment. */
async function loadHandlers(): Promise<Handlers> {
  vi.resetModules();
  const http = ['namespaces', 'tree', 'events', 'system'];
  const triggers = ['steps', 'router', 'lifecycle', 'failures'];
  const loaded = [
    ...http.map(async (name) => [name, (await import(`../../functions/lambdas/${name}.ts`)).handler] as const),
    ...triggers.map(async (name) => [name, (await import(`../../functions/triggers/${name}.ts`)).handler] as const),
  ];
  return Object.fromEntries(await Promise.all(loaded)) as unknown as Handlers;
}

let space: DeployedSpace;
let handlers: Handlers;
let lines: LogLines;

const call = (handler: Handler, ...request: Parameters<typeof requestOf>) =>
  handler(requestOf(...request), CONTEXT as never, () => {}) as Promise<{ statusCode: number; body: string }>;

const executed = () =>
  space.asked('StartExecution').map(({ input }) => (JSON.parse(String(input)) as { run: string }).run);

async function storeAll(sources: Readonly<Record<string, string>>): Promise<void> {
  expect((await call(handlers.namespaces, 'PUT', '/api/namespaces/demo')).statusCode).toBe(200);
  for (const [name, source] of Object.entries(sources)) {
    const path = `/api/namespaces/demo/tree/${name}`;
    const { statusCode, body } = await call(handlers.tree, 'PUT', path, source, { op: 'create-workflow' });
    expect(statusCode, body).toBe(200);
  }
}

const invoke = (name: string, op: string) =>
  call(handlers.tree, 'POST', `/api/namespaces/demo/tree/${name}`, '{}', { op });

async function execute(name: string): Promise<string> {
  expect((await invoke(name, 'execute')).statusCode).toBe(200);
  return executed().at(-1) ?? '';
}

/** The last event that was published, as the bus passes it on. */
function lastEvent(): Parameters<Handlers['router']>[0] {
  const { Entries } = space.asked('PutEvents').at(-1) as { readonly Entries: readonly { readonly Detail: string }[] };
  return { detail: JSON.parse(Entries[0]?.Detail ?? '') } as Parameters<Handlers['router']>[0];
}

const broadcast = (id: string, type = 'paid') =>
  call(
    handlers.events,
    'POST',
    '/api/namespaces/demo/broadcast',
    JSON.stringify({ specversion: '1.0', id, source: '/test', type }),
  );

async function begin(more: Readonly<Record<string, string>>): Promise<void> {
  space = await DeployedSpace.open(more);
  handlers = await loadHandlers();
  lines = new LogLines();
  await storeAll({ hello: HELLO, fails: FAILS, waits: WAITS, starts: STARTS, collects: COLLECTS });
}

async function end(): Promise<void> {
  vi.restoreAllMocks();
  await space.close();
}

describe('an installation with metrics', () => {
  // A machine begins each run, so that the calls of the steps function are counted too.
  beforeAll(() => begin({ WEFT_METRICS: 'flows', WEFT_START_BUDGET_MS: '0' }));
  afterEach(() => lines.clear());
  afterAll(end);

  test('writes metrics of its brand, whose dimensions are its name and the family', async () => {
    lines.clear();
    const before = Date.now();
    await invoke('hello', 'wait');
    const [run, request, ...others] = lines.emf;
    expect(others).toEqual([]);
    expect(run?._aws.CloudWatchMetrics).toEqual([
      {
        Namespace: 'direktiv',
        Dimensions: [['service']],
        Metrics: [
          { Name: 'RunsStarted', Unit: 'Count' },
          { Name: 'RunsComplete', Unit: 'Count' },
          { Name: 'RunMilliseconds', Unit: 'Milliseconds' },
        ],
      },
    ]);
    expect(run).toMatchObject({ service: 'flows', RunsStarted: 1, RunsComplete: 1 });
    expect(request?._aws.CloudWatchMetrics).toEqual([
      { Namespace: 'direktiv', Dimensions: [['service', 'family']], Metrics: [{ Name: 'Requests', Unit: 'Count' }] },
    ]);
    expect(request).toMatchObject({ service: 'flows', family: 'execution', Requests: 1 });
    for (const { _aws } of lines.emf) expect(_aws.Timestamp).toBeGreaterThanOrEqual(before);
    expect(JSON.stringify(lines.emf)).not.toMatch(/demo|hello/);
  });

  test('counts the start and the end of a run once, although steps are repeated', async () => {
    const run = await execute('hello');
    expect(lines.sums).toEqual({ '': { RunsStarted: 1 }, 'family=execution': { Requests: 1 } });
    lines.clear();
    await handlers.steps({ run }, CONTEXT);
    expect(lines.sums).toEqual({ '': { RunsComplete: 1, RunMilliseconds: expect.any(Number) } });
    lines.clear();
    await handlers.steps({ run }, CONTEXT);
    expect(lines.emf).toEqual([]);
  });

  test('counts a run that fails, and no fault', async () => {
    const run = await execute('fails');
    lines.clear();
    await expect(handlers.steps({ run }, CONTEXT)).rejects.toThrow('no');
    expect(lines.sums).toEqual({ '': { RunsFailed: 1, RunMilliseconds: expect.any(Number) } });
  });

  test('counts a run whose execution was aborted as crashed, once', async () => {
    const name = await execute('hello');
    lines.clear();
    const event = { detail: { name, status: 'ABORTED' } } as Parameters<Handlers['lifecycle']>[0];
    await handlers.lifecycle(event, CONTEXT);
    await handlers.lifecycle(event, CONTEXT);
    expect(lines.sums).toEqual({ '': { RunsCrashed: 1, RunMilliseconds: expect.any(Number) } });
  });

  test('counts an event for each listener that takes it, and not again when it is delivered again', async () => {
    const run = await execute('waits');
    await handlers.steps({ run }, CONTEXT);
    lines.clear();
    expect((await broadcast('e1')).statusCode).toBe(200);
    expect(lines.sums).toEqual({ 'family=events': { Requests: 1 } });
    lines.clear();
    await handlers.router(lastEvent(), CONTEXT);
    expect(lines.sums).toEqual({ '': { EventsDelivered: 2, RunsStarted: 1 } });
    lines.clear();
    await handlers.router(lastEvent(), CONTEXT);
    expect(lines.emf).toEqual([]);
  });

  test('counts a start once that is delivered twice at once', async () => {
    expect((await broadcast('e2')).statusCode).toBe(200);
    lines.clear();
    // Both find that the event has no traces yet.
    await Promise.all([handlers.router(lastEvent(), CONTEXT), handlers.router(lastEvent(), CONTEXT)]);
    expect(lines.sums).toEqual({ '': { EventsDelivered: 1, RunsStarted: 1 } });
  });

  test.each([
    ['left', { EventsDelivered: 1 }],
    ['right', { EventsDelivered: 1, RunsStarted: 1 }],
  ])('counts an event that a workflow collects once: %s', async (type, sums) => {
    expect((await broadcast(type, type)).statusCode).toBe(200);
    lines.clear();
    await Promise.all([handlers.router(lastEvent(), CONTEXT), handlers.router(lastEvent(), CONTEXT)]);
    expect(lines.sums).toEqual({ '': sums });
  });

  test('counts failed deliveries', async () => {
    expect((await broadcast('e3')).statusCode).toBe(200);
    lines.clear();
    const notice = {
      timestamp: '2026-11-21T19:42:21.123Z',
      requestContext: { functionArn: 'f', approximateInvokeCount: 3 },
      requestPayload: lastEvent(),
    };
    await handlers.failures(notice, CONTEXT);
    expect(lines.sums).toEqual({ '': { FailedDeliveries: 1 } });
  });

  test.each([
    ['no route', 'GET', '/api/nowhere', { 'family=none': { Requests: 1, ClientErrors: 1 } }],
    ['another method', 'OPTIONS', '/api/version', { 'family=none': { Requests: 1 } }],
    ['a reply', 'GET', '/api/version', { 'family=system': { Requests: 1 } }],
    ['a mistake', 'POST', '/api/jq', { 'family=system': { Requests: 1, ClientErrors: 1 } }],
  ])('counts requests by what they were answered with: %s', async (_what, method, path, sums) => {
    await call(handlers.system, method, path, '{');
    expect(lines.sums).toEqual(sums);
  });

  test('counts a fault, and a server error', async () => {
    space.refuse('StartExecution');
    const { statusCode, body } = await invoke('hello', 'execute');
    space.refuse('StartExecution', false);
    expect(statusCode, body).toBe(500);
    // The run is stored, so the sweep starts it.
    expect(lines.sums).toEqual({
      '': { Faults: 1, RunsStarted: 1 },
      'family=execution': { Requests: 1, ServerErrors: 1 },
    });
  });
});

describe('an installation without metrics', () => {
  beforeAll(() => begin({}));
  afterAll(end);

  test('writes none', async () => {
    const run = await execute('hello');
    await handlers.steps({ run }, CONTEXT);
    await invoke('hello', 'wait');
    await broadcast('e1');
    await handlers.router(lastEvent(), CONTEXT);
    await call(handlers.system, 'GET', '/api/nowhere');
    expect(lines.text).toBe('');
  });
});
