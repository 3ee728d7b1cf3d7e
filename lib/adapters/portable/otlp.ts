import { setTimeout } from 'node:timers/promises';
import type { Span, Traces } from '../../ports/telemetry/traces.ts';
import type { TraceSettings } from './otlp-settings.ts';

const KINDS: Readonly<Record<Span['kind'], number>> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;

const wireValueOf = (value: string | number | boolean): object => {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'boolean' ? { boolValue: value } : { intValue: String(value) };
};

const attributesOf = (attributes: Span['attributes']): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: wireValueOf(value) }));

const nanoseconds = (ms: number): string => `${BigInt(Math.round(ms)) * 1_000_000n}`;

function toOtlp({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, error }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(Math.max(start, end)),
    attributes: attributesOf(error === undefined ? attributes : { ...attributes, 'error.type': error.code }),
    ...(error === undefined ? {} : { status: { code: STATUS_ERROR, message: error.message } }),
  };
}

/** The body of a request of OTLP over HTTP, as JSON. */
const bodyOf = (spans: readonly Span[], resource: TraceSettings['resource']): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'weft' }, spans: spans.map(toOtlp) }],
      },
    ],
  });

/** Sends one batch, and returns the status of the reply. Rejects if there is none before the signal. */
export async function sendSpans(
  { url, headers, resource }: TraceSettings,
  spans: readonly Span[],
  signal: AbortSignal,
): Promise<number> {
  const body = bodyOf(spans, resource);
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body, signal };
  const response = await fetch(url, request);
  await response.arrayBuffer();
  return response.status;
}

/** Returns the reason of a failed export, for the log: `fetch` has it in the cause. */
export function problemOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** Whether a receiver that answered with this status may take the same batch later (OTLP 1.5, "OTLP/HTTP Response"). */
export const isRetryable = (status: number): boolean => RETRIED.has(status);
const RETRIED = new Set([429, 502, 503, 504]);

const ATTEMPTS = 3;

/** Sends batches of spans to a receiver of OTLP over HTTP, in the background. */
export class OtlpTraces implements Traces {
  private readonly settings: TraceSettings;
  private readonly onProblem: (text: string) => void;
  private queue: (() => Promise<readonly Span[]>)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();
  private hasReported = false;

  /** `onProblem` gets the first problem, and the next one after a success. */
  constructor(settings: TraceSettings, onProblem: (text: string) => void) {
    this.settings = settings;
    this.onProblem = onProblem;
  }

  add(make: () => Promise<readonly Span[]>): void {
    const hasRoom = this.queue.length < this.settings.maxQueue;
    if (hasRoom) this.queue.push(make);
    else this.report('the queue is full; traces of runs are dropped');
    this.timer ??= globalThis.setTimeout(() => void this.flush(), this.settings.delay).unref();
  }

  /** Sends the queue. While a receiver does not answer, further runs stay in the queue, which bounds them. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending = this.sending.then(() => this.sendAll());
    return this.sending;
  }

  private async sendAll(): Promise<void> {
    const made = this.queue;
    this.queue = [];
    let batch: Span[] = [];
    try {
      for (const make of made) {
        batch.push(...(await make()));
        while (batch.length >= this.settings.maxBatch) {
          await this.send(batch.slice(0, this.settings.maxBatch));
          batch = batch.slice(this.settings.maxBatch);
        }
      }
      if (batch.length > 0) await this.send(batch);
    } catch (error) {
      this.report(problemOf(error));
    }
  }

  private async send(spans: readonly Span[]): Promise<void> {
    const { url, timeout } = this.settings;
    for (let attempt = 1; ; attempt += 1) {
      const status = await sendSpans(this.settings, spans, AbortSignal.timeout(timeout));
      if (status < 300) {
        this.hasReported = false;
        return;
      }
      if (attempt >= ATTEMPTS || !isRetryable(status)) throw new Error(`${url} answered ${status}`);
      await setTimeout(1_000 * attempt, undefined, { ref: false });
    }
  }

  private report(text: string): void {
    if (this.hasReported) return;
    this.hasReported = true;
    this.onProblem(`traces cannot be exported: ${text}`);
  }
}
