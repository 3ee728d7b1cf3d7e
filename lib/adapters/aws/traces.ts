import type { Span, Traces } from '../../ports/telemetry/traces.ts';
import { isRetryable, problemOf, sendSpans } from '../portable/otlp.ts';
import type { TraceSettings } from '../portable/otlp-settings.ts';

/** The most time that an export may add to a call, milliseconds; a shorter `OTEL_EXPORTER_OTLP_TIMEOUT` takes precedence. */
const MAX_FLUSH_MS = 1_000;
/** After a failed export, calls do not wait for the receiver for this time, milliseconds. */
const PAUSE_MS = 60_000;

type Make = () => Promise<readonly Span[]>;

/** The receiver rejects a batch, and would reject it later. */
class RefusedError extends Error {}

/** Rejects when the signal is aborted, so that no export outlasts it. */
const endOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/**
 * Exports traces at the end of each call of a Lambda function, which is frozen until the next one. A receiver that is
 * unavailable delays at most one call in a minute by at most a second; its batches wait for the next call after that.
 */
export class CallTraces implements Traces {
  readonly #settings: TraceSettings;
  readonly #onProblem: (text: string) => void;
  #waiting: Make[] = [];
  #pausedUntil = 0;
  #hasReported = false;

  /** `onProblem` gets the first problem, and the next one after a success. */
  constructor(settings: TraceSettings, onProblem: (text: string) => void) {
    this.#settings = settings;
    this.#onProblem = onProblem;
  }

  add(make: Make): void {
    if (this.#waiting.length < this.#settings.maxQueue) this.#waiting.push(make);
    else this.#report('the queue is full; traces of runs are dropped');
  }

  async flush(): Promise<void> {
    if (this.#waiting.length === 0 || performance.now() < this.#pausedUntil) return;
    const taken = this.#waiting;
    this.#waiting = [];
    const signal = AbortSignal.timeout(Math.min(this.#settings.timeout, MAX_FLUSH_MS));
    try {
      await Promise.race([this.#sendAll(taken, signal), endOf(signal)]);
    } catch (error) {
      // Spans have the same ids in each export, so that a part that arrived may be sent again.
      if (!(error instanceof RefusedError)) this.#waiting = [...taken, ...this.#waiting];
      this.#pausedUntil = performance.now() + PAUSE_MS;
      this.#report(problemOf(error));
    }
  }

  async #sendAll(taken: readonly Make[], signal: AbortSignal): Promise<void> {
    const made = taken.map((make) => make().catch((error: unknown) => this.#drop(error)));
    const spans = (await Promise.all(made)).flat();
    for (let from = 0; from < spans.length; from += this.#settings.maxBatch) {
      await this.#send(spans.slice(from, from + this.#settings.maxBatch), signal);
    }
  }

  async #send(spans: readonly Span[], signal: AbortSignal): Promise<void> {
    const attempt = (): Promise<number> => sendSpans(this.#settings, spans, signal);
    // While the process was frozen, the receiver may have closed the connection that is used again.
    const status = await attempt().catch((error: unknown) => {
      if (signal.aborted) throw error;
      return attempt();
    });
    this.#hasReported = this.#hasReported && status >= 300;
    if (status < 300) return;
    const text = `${this.#settings.url} answered ${status}`;
    throw isRetryable(status) ? new Error(text) : new RefusedError(text);
  }

  /** The record of a run cannot be read: the other runs are exported. */
  #drop(error: unknown): readonly Span[] {
    this.#report(problemOf(error));
    return [];
  }

  #report(text: string): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    this.#onProblem(`traces cannot be exported: ${text}`);
  }
}
