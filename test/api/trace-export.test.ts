import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Handler } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { StreamingHandler } from '../../lib/adapters/local/gateway.ts';
import { systemClock } from '../../lib/adapters/portable/clock.ts';
import { lambda } from '../../lib/api/lambda.ts';
import { withTraces } from '../../lib/api/trace-export.ts';
import type { Traces } from '../../lib/ports/telemetry/traces.ts';
import { MemoryTable } from '../contract/memory-table.ts';

const EVENT = { httpMethod: 'GET', path: '/api/version', headers: {}, isBase64Encoded: false, requestContext: {} };
const CONTEXT = { awsRequestId: 'r', getRemainingTimeInMillis: () => 10_000 };

/** An export that ends when the test says so. */
class HeldTraces implements Traces {
  readonly released = Promise.withResolvers<void>();
  asked = 0;

  add(): void {}

  flush(): Promise<void> {
    this.asked += 1;
    return this.released.promise;
  }
}

function handlerOf(traces: Traces, mayStream: boolean): Handler {
  const HttpResponseStream = { from: (stream: PassThrough) => stream };
  Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler, HttpResponseStream } });
  const endpoints = {
    getVersion: () => ({ api: 'v1' }),
    getOpenApi: () => ({}),
    executeJq: () => ({}),
    getDocs: () => ({}),
  };
  const suppliers = {
    table: () => new MemoryTable(),
    clock: systemClock,
    vault: () => ({ adminKey: async () => 'the-key' }),
    traces: () => traces,
  };
  return lambda<'system'>({ endpoints: endpoints as never }, suppliers as never, mayStream);
}

describe('a request', () => {
  test('has its streamed reply before the export ends, and the call ends after it', async () => {
    const traces = new HeldTraces();
    const answer = new PassThrough();
    const handler = handlerOf(traces, true) as unknown as StreamingHandler;
    let isOver = false;
    const handled = Promise.resolve(handler(EVENT, answer as never, CONTEXT)).then(() => {
      isOver = true;
    });
    expect((await text(answer)).length).toBeGreaterThan(0);
    await expect.poll(() => traces.asked).toBe(1);
    expect(isOver).toBe(false);
    traces.released.resolve();
    await handled;
  });

  test('exports before a reply in one piece', async () => {
    const traces = new HeldTraces();
    traces.released.resolve();
    const reply = (await handlerOf(traces, false)(EVENT, CONTEXT as never, () => {})) as {
      readonly statusCode: number;
    };
    expect([reply.statusCode, traces.asked]).toEqual([expect.any(Number), 1]);
  });
});

describe('a call without a request', () => {
  test('exports after its work, also after an error', async () => {
    const traces = new HeldTraces();
    traces.released.resolve();
    const done = withTraces(
      async (word: string) => `${word} ${traces.asked}`,
      () => traces,
    );
    expect([await done('before'), traces.asked]).toEqual(['before 0', 1]);
    const fails = withTraces(
      async () => {
        throw new Error('no');
      },
      () => traces,
    );
    await expect(fails()).rejects.toThrow('no');
    expect(traces.asked).toBe(2);
  });

  test('needs no receiver', async () => {
    expect(
      await withTraces(
        async () => 1,
        () => undefined,
      )(),
    ).toBe(1);
  });
});
