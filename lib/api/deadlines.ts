/** The part of the context of a Lambda that is read: the time until it is stopped. The local service has none. */
export interface TimeLeft {
  readonly getRemainingTimeInMillis?: () => number;
}

/**
 * API Gateway closes a stream of a Regional API after five minutes without a byte. A reply that is not an event stream
 * sends no byte before its status, so it must be ready earlier; milliseconds.
 */
const MAX_SILENCE_MS = 280_000;
/**
 * An event stream on AWS ends after this time, and the client continues with `Last-Event-ID`. A Lambda does not notice
 * a client that disconnects, so this also limits its work for a client that has gone.
 */
const MAX_STREAM_MS = 110_000;
/** The time to send a finished reply before its Lambda is stopped. */
const REPLY_MARGIN_MS = 2_000;
/** The same for an event stream, whose last poll may read many pages. */
const STREAM_MARGIN_MS = 10_000;

const endOf = ({ getRemainingTimeInMillis: left }: TimeLeft, now: number, marginMs: number, mostMs: number): number =>
  left === undefined ? Number.POSITIVE_INFINITY : now + Math.min(left() - marginMs, mostMs);

/** When a reply must be ready, milliseconds since 1970; infinite in the local service. */
export const replyDeadline = (invocation: TimeLeft, now: number): number =>
  endOf(invocation, now, REPLY_MARGIN_MS, MAX_SILENCE_MS);

/** When an event stream ends, milliseconds since 1970; infinite in the local service. */
export const streamDeadline = (invocation: TimeLeft, now: number): number =>
  endOf(invocation, now, STREAM_MARGIN_MS, MAX_STREAM_MS);
