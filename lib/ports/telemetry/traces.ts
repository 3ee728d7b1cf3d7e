/** A span of a trace (OpenTelemetry). Ids are lower-case hexadecimal: 32 digits of a trace, 16 of a span. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** The failure of the measured work: the code and the message. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** Exports traces. Spans are lost if the process ends before they are exported, or if the receiver cannot be reached. */
export interface Traces {
  /** Adds the spans that a function makes; it is called later, with a batch of others. Never throws, and is not awaited. */
  add(make: () => Promise<readonly Span[]>): void;
  /** Sends added spans, as far as a short time allows. Never rejects. A process that stops between calls awaits it. */
  flush(): Promise<void>;
}
