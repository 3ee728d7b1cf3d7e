import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Watch } from '../../ports/changes.ts';
import type { Ports } from '../../ports/ports.ts';
import { credentialsOf } from '../http/access.ts';
import { authorize, type Call, type Routed } from '../http/call.ts';
import { toReply } from '../http/reply.ts';
import type { Request } from '../http/request.ts';
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

/** Reads the changes since the event with this id. */
type Read = (ports: Ports, call: Call, lastEventId: string | undefined) => Promise<PollResult>;

/** Each event is the reply of the plain GET, whatever was sent before. */
function readWhole(endpoint: AnyEndpoint | undefined): Read {
  return async (ports, call) => {
    const json = String(toReply(await endpoint?.(ports, call)).body);
    return { json, id: idOf(json), hasChanged: true, hasMore: false };
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

/** A poll that is queued, and the watches of the streams that wait for its result. */
interface Queued {
  readonly watches: Watch[];
  readonly result: Promise<PollResult>;
}

/** By service and by what is read: the polls that are queued. */
const queues = new WeakMap<Ports['changes'], Map<string, Queued>>();

function queuedIn({ changes }: Ports): Map<string, Queued> {
  const queued = queues.get(changes) ?? new Map<string, Queued>();
  queues.set(changes, queued);
  return queued;
}

/** What a stream reads, with the rights by which it does; undefined if its reader remembers what it has read. */
function subjectOf(
  { request, routed, call, source }: StreamRequest,
  lastEventId: string | undefined,
): string | undefined {
  if (typeof source === 'object') return undefined;
  const place = source === undefined ? '' : lastEventId;
  return JSON.stringify([routed.id, call.path, call.endsInSlash, call.query, credentialsOf(request), place]);
}

/**
 * The poll function of an event stream. Each poll checks the key again, and throws what `authorize` throws if the key is
 * no longer valid. `enter` resolves when a poll may begin; streams that want to read the same until then share one poll.
 */
export function pollOf(streamRequest: StreamRequest, enter: () => Promise<void> | undefined = () => undefined): Poll {
  const { ports, request, routed, call } = streamRequest;
  const read = readerOf(streamRequest);
  const queued = queuedIn(ports);
  const begin = async (watch: Watch, others: readonly Watch[], lastEventId: string | undefined) => {
    const watched: Ports = Object.create(ports, { table: { value: watch.begin() } });
    for (const other of others) other.join(watch);
    // The result is that of every stream of the subject.
    const shared: Call = { ...call, headers: {}, caller: await authorize(watched, request, routed) };
    return read(watched, shared, lastEventId);
  };
  const enqueue = async (watch: Watch, lastEventId: string | undefined, delay: number): Promise<PollResult> => {
    const subject = subjectOf(streamRequest, lastEventId);
    const own = subject === undefined ? undefined : queued.get(subject);
    own?.watches.push(watch);
    if (own !== undefined) return own.result;
    const watches: Watch[] = [];
    const turn = async () => {
      // The other streams that the same change woke ask meanwhile, so that one timer serves them all.
      await setTimeout(delay);
      await enter();
      if (subject !== undefined) queued.delete(subject);
      return begin(watch, watches, lastEventId);
    };
    const result = turn();
    if (subject !== undefined) queued.set(subject, { watches, result });
    return result;
  };
  let isOpen = false;
  return (watch, lastEventId, delay) => {
    if (isOpen) return enqueue(watch, lastEventId, delay);
    // The first poll answers the request, which has waited for its turn.
    isOpen = true;
    return begin(watch, [], lastEventId);
  };
}
