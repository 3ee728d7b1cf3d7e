import { setTimeout } from 'node:timers/promises';
import type { Span, Traces } from '../../ports/traces.ts';

/** Where traces are sent, from the standard variables `OTEL_*`. */
export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds that a request may take. */
  readonly timeout: number;
  /** Milliseconds between two batches. */
  readonly delay: number;
  /** The most spans of a batch, and the most runs that wait; further ones are dropped. */
  readonly maxBatch: number;
  readonly maxQueue: number;
  readonly resource: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Pairs `a=b,c=d` with encoded values. */
function pairsOf(text = ''): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}

function numberOf(environment: Environment, name: string, byDefault: number): number {
  const text = environment[name] ?? '';
  const value = text === '' ? byDefault : Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`${name} is '${text}'; it must be a whole number from 1`);
}

function urlOf(environment: Environment): string | undefined {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own = '', OTEL_EXPORTER_OTLP_ENDPOINT: base = '' } = environment;
  const text = own === '' && base !== '' ? `${base.replace(/\/+$/, '')}/v1/traces` : own;
  if (text === '') return undefined;
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Error(`OTEL_EXPORTER_OTLP_ENDPOINT is '${text}'; it must be a URL such as http://localhost:4318`);
}

/**
 * The settings of the export of traces; undefined where no endpoint is set, or it is switched off. Throws an error with a
 * message for the user if one is invalid.
 */
export function traceSettings(environment: Environment): TraceSettings | undefined {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES } = environment;
  const url = urlOf(environment);
  if (url === undefined || OTEL_SDK_DISABLED === 'true' || OTEL_TRACES_EXPORTER === 'none') return undefined;
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? environment['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? '';
  if (protocol !== '' && protocol !== 'http/json') {
    throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL is '${protocol}'; Weft exports traces as http/json`);
  }
  const { OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TRACES_HEADERS } = environment;
  const resource = pairsOf(OTEL_RESOURCE_ATTRIBUTES);
  return {
    url,
    headers: { ...pairsOf(OTEL_EXPORTER_OTLP_HEADERS), ...pairsOf(OTEL_EXPORTER_OTLP_TRACES_HEADERS) },
    timeout: numberOf(environment, 'OTEL_EXPORTER_OTLP_TIMEOUT', 10_000),
    delay: numberOf(environment, 'OTEL_BSP_SCHEDULE_DELAY', 5_000),
    maxBatch: numberOf(environment, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    maxQueue: numberOf(environment, 'OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
    resource: { ...resource, 'service.name': OTEL_SERVICE_NAME || resource['service.name'] || 'weft' },
  };
}

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

const ATTEMPTS = 3;
const RETRIED = new Set([429, 502, 503, 504]);

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

  /** Sends what waits. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const made = this.queue;
    this.queue = [];
    this.sending = this.sending.then(() => this.sendAll(made));
    return this.sending;
  }

  private async sendAll(made: readonly (() => Promise<readonly Span[]>)[]): Promise<void> {
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
      this.report((error as Error).message);
    }
  }

  private async send(spans: readonly Span[]): Promise<void> {
    const { url, headers, timeout, resource } = this.settings;
    const body = bodyOf(spans, resource);
    for (let attempt = 1; ; attempt += 1) {
      const signal = AbortSignal.timeout(timeout);
      const request = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body, signal };
      const status = await fetch(url, request).then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      });
      if (status < 300) {
        this.hasReported = false;
        return;
      }
      if (attempt >= ATTEMPTS || !RETRIED.has(status)) throw new Error(`${url} answered ${status}`);
      await setTimeout(1_000 * attempt, undefined, { ref: false });
    }
  }

  private report(text: string): void {
    if (this.hasReported) return;
    this.hasReported = true;
    this.onProblem(`traces cannot be exported: ${text}`);
  }
}
