import type { ErrorCode, ServiceError } from '../../domain/errors.ts';

/** The headers of an event stream (rest-api reference, 3.1). */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  Connection: 'keep-alive',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Content-Type',
  'X-Accel-Buffering': 'no',
};

/** An event without data: clients skip it. It shows that the stream is alive. */
export const HEARTBEAT = 'data: \n\n';

/** One event: JSON on one line, and the id that a reconnected client sends back, if it can continue from there. */
export function dataFrame(json: string, id: string | undefined): string {
  return id === undefined ? `data: ${json}\n\n` : `id: ${id}\ndata: ${json}\n\n`;
}

/** The gRPC status codes that clients know from error events. */
const GRPC_CODES: Readonly<Record<ErrorCode, number>> = {
  malformed: 3,
  'bad-list': 3,
  unauthorized: 16,
  forbidden: 7,
  'not-found': 5,
  'not-allowed': 12,
  invalid: 3,
  exists: 6,
  conflict: 10,
  'too-slow': 4,
  'too-large': 8,
  'too-many': 8,
  refused: 2,
  unavailable: 14,
  'over-quota': 8,
};

const UNKNOWN = 2;
/** The original's code for an error without a gRPC status. */
const NO_GRPC_STATUS = 50;

const frameOf = (code: number, message: string): string =>
  `event: error\ndata: ${JSON.stringify({ Code: code, Message: message })}\n\n`;

/** The last event of a stream that ends with a caller's mistake. */
export function errorFrame({ code, message }: ServiceError): string {
  return frameOf(GRPC_CODES[code], message);
}

/** The last event of a stream that ends with a fault of the service. */
export function faultFrame(message: string): string {
  return frameOf(UNKNOWN, message);
}

/** The last event of a stream whose object was deleted. */
export const GONE = frameOf(NO_GRPC_STATUS, 'EOF');
