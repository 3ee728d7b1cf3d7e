/** Why a request is refused before a function has its body. */
export type RefusalReason = 'too-large' | 'too-slow' | 'too-many' | 'unavailable' | 'malformed';

/** The HTTP status of each refusal. */
export const STATUS_OF: Readonly<Record<RefusalReason, number>> = {
  'too-large': 413,
  'too-slow': 408,
  'too-many': 429,
  unavailable: 503,
  malformed: 400,
};

/** A request that is refused; the message is for the client. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly reason: RefusalReason;
  /** Seconds after which a new attempt may succeed. */
  readonly retryAfter: number | undefined;

  constructor(reason: RefusalReason, message: string, retryAfter?: number) {
    super(message);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}
