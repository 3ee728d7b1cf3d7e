import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CallTraces } from '../../../lib/adapters/aws/traces.ts';
import { traceSettings } from '../../../lib/adapters/portable/otlp-settings.ts';
import type { Span } from '../../../lib/ports/telemetry/traces.ts';

const SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
  OTEL_BSP_MAX_QUEUE_SIZE: '3',
};
const MINUTE_MS = 60_000;

const spanOf = (name: string): Span => ({
  traceId: '0'.repeat(32),
  spanId: '0'.repeat(16),
  name,
  kind: 'internal',
  start: 1,
  end: 2,
  attributes: {},
});

type Sent = { readonly resourceSpans: readonly { scopeSpans: readonly { spans: readonly { name: string }[] }[] }[] };

let statuses: (number | Error)[];
let batches: string[][];
let problems: string[];
let traces: CallTraces;
let now: number;

beforeEach(() => {
  [statuses, batches, problems, now] = [[], [], [], 1_000];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.stubGlobal('fetch', async (_: string, { body }: { readonly body: string }) => {
    const { resourceSpans } = JSON.parse(body) as Sent;
    batches.push(resourceSpans.flatMap((one) => one.scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name))));
    const status = statuses.shift() ?? 200;
    if (status instanceof Error) throw status;
    return new Response('{}', { status });
  });
  const settings = traceSettings(SETTINGS);
  if (settings === undefined) throw new Error('the export is off');
  traces = new CallTraces(settings, (text) => problems.push(text));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const add = (...names: readonly string[]) => traces.add(async () => names.map(spanOf));

describe('the export of a function', () => {
  test('is in batches, at the end of the call', async () => {
    add('a', 'b', 'c');
    add('d');
    expect(batches).toEqual([]);
    await traces.flush();
    expect(batches).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    await traces.flush();
    expect(batches).toHaveLength(2);
  });

  test('keeps what a busy receiver did not take, and asks it again after a minute', async () => {
    statuses.push(503);
    add('a');
    await traces.flush();
    add('b');
    now += MINUTE_MS - 1;
    await traces.flush();
    expect(batches).toEqual([['a']]);
    now += 1;
    await traces.flush();
    expect([batches.slice(1), problems]).toEqual([[['a', 'b']], [expect.stringContaining('answered 503')]]);
  });

  test('drops what the receiver refuses, and what exceeds the queue', async () => {
    statuses.push(401);
    add('a');
    await traces.flush();
    now += MINUTE_MS;
    for (const name of ['b', 'c', 'd', 'e']) add(name);
    await traces.flush();
    expect(batches.slice(1).flat()).toEqual(['b', 'c', 'd']);
  });

  test('reports a problem once, and again after a success', async () => {
    const away = () => [new Error('away'), new Error('away')];
    statuses.push(...away(), ...away());
    add('a');
    for (let n = 0; n < 3; n += 1, now += MINUTE_MS) await traces.flush();
    expect(problems).toEqual(['traces cannot be exported: away']);
    statuses.push(...away());
    add('b');
    await traces.flush();
    expect(problems).toHaveLength(2);
  });

  test('leaves out a run whose record cannot be read', async () => {
    traces.add(async () => {
      throw new Error('no record');
    });
    add('a');
    await traces.flush();
    expect([batches, problems]).toEqual([[['a']], ['traces cannot be exported: no record']]);
  });

  test('ends after a second, though a record is not read', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      expect(ms).toBe(1_000);
      return AbortSignal.abort(new Error('over'));
    });
    traces.add(() => new Promise(() => {}));
    await traces.flush();
    expect(problems).toEqual(['traces cannot be exported: over']);
  });
});
