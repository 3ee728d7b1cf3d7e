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

/** The variables that `traceSettings` reads. */
export const TRACE_VARIABLES = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_SDK_DISABLED',
  'OTEL_TRACES_EXPORTER',
] as const;

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
  const timeout = numberOf(environment, 'OTEL_EXPORTER_OTLP_TIMEOUT', 10_000);
  const resource = pairsOf(OTEL_RESOURCE_ATTRIBUTES);
  return {
    url,
    headers: { ...pairsOf(OTEL_EXPORTER_OTLP_HEADERS), ...pairsOf(OTEL_EXPORTER_OTLP_TRACES_HEADERS) },
    timeout: numberOf(environment, 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', timeout),
    delay: numberOf(environment, 'OTEL_BSP_SCHEDULE_DELAY', 5_000),
    maxBatch: numberOf(environment, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    maxQueue: numberOf(environment, 'OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
    resource: { ...resource, 'service.name': OTEL_SERVICE_NAME || resource['service.name'] || 'weft' },
  };
}
