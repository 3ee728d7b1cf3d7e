import type { ErrorCode, ServiceError } from '../../domain/errors.ts';

/** The lines of an event stream (rest-api reference, 3.1). */

export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  Connection: 'keep-alive',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Content-Type',
  'X-Accel-Buffering': 'no',
};

/** Says that the stream is alive; clients skip what is empty. */
export const HEARTBEAT = 'data: \n\n';

/** One event: JSON of one line, and the id that a client hands back when it comes again, if it can go on from there. */
export function dataFrame(json: string, id: string | undefined): string {
  return id === undefined ? `data: ${json}\n\n` : `id: ${id}\ndata: ${json}\n\n`;
}

/** What gRPC calls the kinds of mistakes; streams name them by its numbers. */
const GRPC_CODES: Readonly<Record<ErrorCode, number>> = {
  malformed: 3,
  'bad-list': 3,
  unauthorized: 16,
  forbidden: 7,
  'not-found': 5,
  'not-allowed': 12,
  invalid: 3,
  exists: 6,
  'too-large': 8,
  refused: 2,
  'not-built': 12,
  unavailable: 14,
};

const UNKNOWN = 2;
/** What has no number of gRPC's. */
const NO_GRPC = 50;

const frameOf = (code: number, message: string): string =>
  `event: error\ndata: ${JSON.stringify({ Code: code, Message: message })}\n\n`;

/** The last event of a stream that a mistake of the caller ends. */
export function errorFrame({ code, message }: ServiceError): string {
  return frameOf(GRPC_CODES[code], message);
}

/** The last event of a stream that a fault of ours ends. */
export function faultFrame(message: string): string {
  return frameOf(UNKNOWN, message);
}

/** The last event of a stream whose object was deleted. */
export const GONE = frameOf(NO_GRPC, 'EOF');
