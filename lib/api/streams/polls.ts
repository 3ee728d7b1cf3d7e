import { createHash } from 'node:crypto';
import type { Ports } from '../../ports/ports.ts';
import { authorize, type Call, type Routed } from '../http/call.ts';
import { toReply } from '../http/reply.ts';
import type { Request } from '../http/request.ts';
import { Semaphore } from './semaphore.ts';
import type { Poll, PollResult } from './stream.ts';

/** An endpoint of any route. */
export type AnyEndpoint = (ports: Ports, call: Call) => unknown;

type AnyCursorReader = (
  ports: Ports,
  call: Call,
  cursor: string | undefined,
) => Promise<{ readonly reply: unknown; readonly cursor: string }>;

interface AnyWatcher {
  readonly begin: () => (ports: Ports, call: Call) => Promise<readonly object[]>;
  readonly pollInterval: number;
}

/** A stream source of any route. */
export type AnyStreamSource = AnyCursorReader | AnyWatcher;

/** A request for an event stream, with the parts that serve its route: an endpoint, a stream source, or both. */
export interface StreamRequest {
  readonly ports: Ports;
  readonly request: Request;
  readonly routed: Routed;
  readonly call: Call;
  readonly endpoint: AnyEndpoint | undefined;
  readonly source: AnyStreamSource | undefined;
}

const ID_LENGTH = 22;
const idOf = (json: string): string => createHash('sha256').update(json).digest('base64url').slice(0, ID_LENGTH);

const EVENT_STREAM = 'text/event-stream';

/** Whether the reply to the request is an event stream (rest-api reference, 1.1). */
export function wantsStream({ headers }: Pick<Request, 'headers'>, { route }: Pick<Routed, 'route'>): boolean {
  const accepts = (headers['accept'] ?? '').includes(EVENT_STREAM);
  return route.stream === 'only' || (route.stream === true && accepts);
}

/** The id of the last event that the client received: a header, or a parameter for clients that cannot set headers. */
export function lastEventIdOf({ headers, query }: Pick<Request, 'headers' | 'query'>): string | undefined {
  return headers['last-event-id'] || query['lastEventId']?.[0] || undefined;
}

type Read = (ports: Ports, call: Call, lastEventId: string | undefined) => Promise<PollResult>;

/** Each event is the reply of the plain GET. A reply that equals the last event is not sent. */
function readWhole(endpoint: AnyEndpoint | undefined): Read {
  return async (ports, call, lastEventId) => {
    const json = String(toReply(await endpoint?.(ports, call)).body);
    const id = idOf(json);
    return { json, id, hasChanged: id !== lastEventId, hasMore: false };
  };
}

/** The first event has all rows, even if there are none; each later one the rows after it (rest-api reference, 3.2). */
function readFromCursor(reader: AnyCursorReader): Read {
  return async (ports, call, lastEventId) => {
    const { reply, cursor } = await reader(ports, call, lastEventId);
    const { results = [] } = reply as { readonly results?: readonly unknown[] };
    // A reply has a limited number of rows, so that there may be more.
    const hasMore = results.length > 0;
    return { json: JSON.stringify(reply), id: cursor, hasChanged: lastEventId === undefined || hasMore, hasMore };
  };
}

/** One event for each change. A reconnected client starts from the beginning: missed changes are not stored. */
function readChanges({ begin, pollInterval }: AnyWatcher): Read {
  const read = begin();
  return async (ports, call) => {
    const changes = await read(ports, call);
    const json = changes.map((one) => JSON.stringify(one));
    return { json, id: undefined, hasChanged: changes.length > 0, hasMore: false, pollInterval };
  };
}

function readerOf({ endpoint, source }: StreamRequest): Read {
  if (source === undefined) return readWhole(endpoint);
  return typeof source === 'function' ? readFromCursor(source) : readChanges(source);
}

/** One change may wake hundreds of streams in this process; requests must not wait for all of them. */
const semaphore = new Semaphore(8);

/**
 * The poll function of an event stream. Each poll checks the key again, and throws what `authorize` throws if the key is
 * no longer valid.
 */
export function pollOf(streamRequest: StreamRequest): Poll {
  const { ports, request, routed, call } = streamRequest;
  const read = readerOf(streamRequest);
  const poll: Poll = async (table, lastEventId) => {
    const watched: Ports = Object.create(ports, { table: { value: table } });
    return read(watched, { ...call, caller: await authorize(watched, request, routed) }, lastEventId);
  };
  let isOpen = false;
  return (table, lastEventId) => {
    // The first poll answers the request, which does not wait for other streams.
    if (isOpen) return semaphore.run(() => poll(table, lastEventId));
    isOpen = true;
    return poll(table, lastEventId);
  };
}
