import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Handler } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StepInput } from '../../lib/engine/tasks/step.ts';
import type { Json } from '../service/access/client.ts';
import { rowsOf } from '../service/access/client.ts';
import { DeployedSpace, requestOf } from './deployed-space.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const CANARY = 'canary-4711';
const CONTEXT = { awsRequestId: 'n1' } as never;
const KID = 'states: [{id: k, type: noop}]\n';
const MAIN = `labels: {team: shop}
functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: call, type: action, action: {function: kid, input: {secret: ${CANARY}}}}]
`;

interface Received {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Json;
}

/** A receiver of OTLP over HTTP. */
class Receiver {
  readonly received: Received[] = [];
  /** How it answers the next requests: a status, or not at all; then with 200. */
  readonly answers: (number | 'silence' | 'hang up')[] = [];
  asked = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      this.asked += 1;
      let text = '';
      for await (const part of request) text += String(part);
      const answer = this.answers.shift() ?? 200;
      if (answer === 'hang up') request.socket.destroy();
      if (typeof answer !== 'number') return;
      if (answer === 200) this.received.push({ headers: request.headers, body: JSON.parse(text) as Json });
      response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get spans(): readonly Json[] {
    return this.received.flatMap(({ body }) =>
      rowsOf(body['resourceSpans']).flatMap((one) =>
        rowsOf(one['scopeSpans']).flatMap((scope) => [...rowsOf(scope['spans'])]),
      ),
    );
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

interface Reply {
  readonly statusCode: number;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

interface Handlers {
  readonly namespaces: Handler;
  readonly tree: Handler;
  readonly instances: Handler;
  readonly steps: (input: StepInput) => Promise<unknown>;
}

let space: DeployedSpace;
let receiver: Receiver;
let handlers: Handlers;
let warnings: string[];

/** Loads the functions as a new process does, with the present environment. */
async function loadHandlers(): Promise<Handlers> {
  vi.resetModules();
  const load = async (path: string) => ((await import(path)) as { handler: Handler }).handler;
  const [namespaces, tree, instances, steps] = await Promise.all([
    load('../../functions/lambdas/namespaces.ts'),
    load('../../functions/lambdas/tree.ts'),
    load('../../functions/lambdas/instances.ts'),
    load('../../functions/triggers/steps.ts'),
  ]);
  return { namespaces, tree, instances, steps: steps as never };
}

async function call(handler: Handler, ...request: Parameters<typeof requestOf>): Promise<Json> {
  const event = requestOf(...request);
  const headers = { ...event.headers, traceparent: `00-${TRACE}-${PARENT}-01` };
  const reply = (await handler({ ...event, headers }, CONTEXT, () => {})) as Reply;
  const text = Buffer.from(reply.body, reply.isBase64Encoded ? 'base64' : 'utf8').toString();
  expect(reply.statusCode, text).toBe(200);
  return JSON.parse(text === '' ? '{}' : text) as Json;
}

const path = (name: string): string => `/api/namespaces/demo/tree/${name}`;
const wait = (name: string) => call(handlers.tree, 'POST', path(name), '{}', { op: 'wait' });

async function open(more: Readonly<Record<string, string>> = {}): Promise<void> {
  space = await DeployedSpace.open(more);
  handlers = await loadHandlers();
  await call(handlers.namespaces, 'PUT', '/api/namespaces/demo');
  for (const [name, source] of Object.entries({ kid: KID, main: MAIN })) {
    await call(handlers.tree, 'PUT', path(name), source, { op: 'create-workflow' });
  }
}

beforeEach(async () => {
  receiver = new Receiver();
  warnings = [];
  vi.spyOn(console, 'warn').mockImplementation((text) => void warnings.push(String(text)));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await space.close();
  receiver.close();
});

describe('an installation with the variables OTEL_*', () => {
  test('has one trace a run, over all functions that continue it', async () => {
    const origin = await receiver.listen();
    // A machine begins each run: the request, the run and its child are calls of three functions.
    await open({
      OTEL_EXPORTER_OTLP_ENDPOINT: origin,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
      OTEL_SERVICE_NAME: 'flows',
      WEFT_START_BUDGET_MS: '0',
    });
    const { instance } = await call(handlers.tree, 'POST', path('main'), '{}', { op: 'execute' });
    expect(receiver.asked).toBe(0);
    await handlers.steps({ run: String(instance) });

    const byName = new Map(receiver.spans.map((span) => [String(span['name']), span]));
    const idOf = (name: string) => byName.get(name)?.['spanId'];
    expect([...byName.keys()].sort()).toEqual(['/kid', '/main', 'call', 'call call 0', 'k']);
    expect(new Set(receiver.spans.map((span) => String(span['traceId'])))).toEqual(new Set([TRACE]));
    expect(byName.get('/main')).toMatchObject({ parentSpanId: PARENT, kind: 2 });
    expect(byName.get('call')).toMatchObject({ parentSpanId: idOf('/main') });
    expect(byName.get('call call 0')).toMatchObject({ parentSpanId: idOf('call'), kind: 3 });
    expect(byName.get('/kid')).toMatchObject({ parentSpanId: idOf('call call 0') });
    expect(byName.get('k')).toMatchObject({ parentSpanId: idOf('/kid') });
    expect(receiver.received[0]?.headers['x-tenant']).toBe('a b');
    expect(JSON.stringify(receiver.received[0]?.body)).toContain(
      '{"key":"service.name","value":{"stringValue":"flows"}}',
    );
    expect(JSON.stringify(receiver.received)).not.toContain(CANARY);
    expect(warnings).toEqual([]);
  });

  test('exports a run that ends in its request before the request ends', async () => {
    await open({ OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen() });
    await wait('kid');
    expect(receiver.spans.map((span) => String(span['name']))).toEqual(['/kid', 'k']);
    await call(handlers.instances, 'GET', '/api/namespaces/demo/instances');
    expect(receiver.asked).toBe(1);
  });

  test('sends again over a new connection where the receiver has closed the old one', async () => {
    await open({ OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen() });
    await wait('kid');
    receiver.answers.push('hang up');
    await wait('kid');
    expect([receiver.asked, receiver.received.length, warnings]).toEqual([3, 2, []]);
  });

  test('asks a receiver that is away once, and not again with the next requests', async () => {
    const origin = await receiver.listen();
    receiver.close();
    await open({ OTEL_EXPORTER_OTLP_ENDPOINT: origin });
    for (let n = 0; n < 3; n += 1) await wait('kid');
    expect(warnings).toEqual([expect.stringMatching(/^traces cannot be exported: fetch failed: .*ECONNREFUSED/)]);
  });

  test('waits for a receiver that does not answer once, as long as its timeout says', async () => {
    await open({ OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen(), OTEL_EXPORTER_OTLP_TIMEOUT: '500' });
    receiver.answers.push('silence');
    for (let n = 0; n < 3; n += 1) await wait('kid');
    expect([receiver.asked, warnings]).toEqual([1, [expect.stringContaining('timeout')]]);
  });
});

test('an installation without them sends nothing', async () => {
  await open();
  await wait('main');
  expect([receiver.asked, warnings]).toEqual([0, []]);
});
