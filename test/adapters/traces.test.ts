import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OtlpTraces } from '../../lib/adapters/portable/otlp.ts';
import { traceSettings } from '../../lib/adapters/portable/otlp-settings.ts';
import type { Span } from '../../lib/ports/telemetry/traces.ts';

const SETTINGS = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_BSP_MAX_QUEUE_SIZE: '3' };

const spanOf = (name: string): Span => ({
  ...{ traceId: '0'.repeat(32), spanId: '0'.repeat(16), name, kind: 'internal' },
  ...{ start: 1, end: 2, attributes: {} },
});

/** Answers the oldest request that waits. */
let answers: (() => void)[];
let requests: number;
let made: string[];
let problems: string[];
let traces: OtlpTraces;

beforeEach(() => {
  [answers, requests, made, problems] = [[], 0, [], []];
  vi.stubGlobal('fetch', () => {
    requests += 1;
    return new Promise<Response>((resolve) => answers.push(() => resolve(new Response('{}'))));
  });
  const settings = traceSettings(SETTINGS);
  if (settings === undefined) throw new Error('the export is off');
  traces = new OtlpTraces(settings, (text) => problems.push(text));
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const add = (name: string): void =>
  traces.add(async () => {
    made.push(name);
    return [spanOf(name)];
  });

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('the queue is bounded also while the receiver does not answer', async () => {
  add('first');
  const sent = [traces.flush()];
  await settle();
  expect(requests).toBe(1);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
    add(name);
    // The timer of the queue flushes although the first request has no answer.
    sent.push(traces.flush());
    await settle();
  }
  expect(problems).toEqual(['traces cannot be exported: the queue is full; traces of runs are dropped']);
  answers.shift()?.();
  await settle();
  answers.shift()?.();
  await Promise.all(sent);
  expect(made).toEqual(['first', 'a', 'b', 'c']);
  expect(requests).toBe(2);
});
