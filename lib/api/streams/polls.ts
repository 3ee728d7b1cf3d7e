import { createHash } from 'node:crypto';
import type { Ports } from '../../ports/ports.ts';
import { admit, type Call, type Routed } from '../http/call.ts';
import { toReply } from '../http/reply.ts';
import type { Request } from '../http/request.ts';
import type { RouteId } from '../registry/routes/index.ts';
import type { Follower } from './followers.ts';
import { Turns } from './semaphore.ts';
import type { Look, Shown } from './stream.ts';
import type { Reading } from './tails.ts';

export type AnyEndpoint = (ports: Ports, call: Call) => unknown;
type Marked = (ports: Ports, call: Call, mark: string | undefined) => Promise<Reading>;
export type AnyTail = Marked | Follower<RouteId>;

/** What is asked to be watched. */
export interface Asked {
  readonly ports: Ports;
  readonly request: Request;
  readonly routed: Routed;
  readonly call: Call;
}

const ID_LENGTH = 22;
const idOf = (json: string): string => createHash('sha256').update(json).digest('base64url').slice(0, ID_LENGTH);

const EVENT_STREAM = 'text/event-stream';

/** Whether the request is answered by an event stream (rest-api reference, 1.1). */
export function wantsStream({ headers }: Pick<Request, 'headers'>, { route }: Pick<Routed, 'route'>): boolean {
  const accepts = (headers['accept'] ?? '').includes(EVENT_STREAM);
  return route.stream === 'only' || (route.stream === true && accepts);
}

/** The id of the last event that the client got; some clients have no way to send a header, and send a parameter. */
export function seenBy({ headers, query }: Pick<Request, 'headers' | 'query'>): string | undefined {
  return headers['last-event-id'] || query['lastEventId']?.[0] || undefined;
}

/** The JSON of the plain GET, which is news when it is another than before. */
async function listed(
  endpoint: AnyEndpoint | undefined,
  ports: Ports,
  call: Call,
  seen: string | undefined,
): Promise<Shown> {
  const json = String(toReply(await endpoint?.(ports, call)).body);
  const id = idOf(json);
  return { json, id, isNews: id !== seen, hasMore: false };
}

/** What came after the last mark; the first time all that is there, and be it nothing (rest-api reference, 3.2). */
async function tailed(tail: Marked, ports: Ports, call: Call, seen: string | undefined): Promise<Shown> {
  const { reply, mark } = await tail(ports, call, seen);
  const { results = [] } = reply as { readonly results?: readonly unknown[] };
  // A page, or the most that one reply may hold, was perhaps not all.
  const hasMore = results.length > 0;
  return { json: JSON.stringify(reply), id: mark, isNews: seen === undefined || hasMore, hasMore };
}

type Showing = (ports: Ports, call: Call, seen: string | undefined) => Promise<Shown>;

/** Each thing an event. A client that comes again begins anew: what it missed nobody kept. */
function followed({ follow, recheck }: Follower<RouteId>): Showing {
  const read = follow();
  return async (ports, call) => {
    const news = await read(ports, call);
    const json = news.map((one) => JSON.stringify(one));
    return { json, id: undefined, isNews: news.length > 0, hasMore: false, recheck };
  };
}

function showingOf(endpoint: AnyEndpoint | undefined, tail: AnyTail | undefined): Showing {
  if (tail === undefined) return (...seen) => listed(endpoint, ...seen);
  return typeof tail === 'function' ? (...seen) => tailed(tail, ...seen) : followed(tail);
}

/** One change may wake hundreds of streams of this process, and requests are not to wait behind all of them. */
const turns = new Turns(8);

/**
 * What a stream of these ports shows again and again. Each look also asks whether the key is still good, and throws as
 * `admit` does when it is not.
 */
export function lookOf({ ports, request, routed, call }: Asked, endpoint?: AnyEndpoint, tail?: AnyTail): Look {
  const show = showingOf(endpoint, tail);
  const look: Look = async (table, seen) => {
    const watched: Ports = Object.create(ports, { table: { value: table } });
    return show(watched, { ...call, caller: await admit(watched, request, routed) }, seen);
  };
  let isOpen = false;
  return (table, seen) => {
    // The first look is a request like any other.
    if (isOpen) return turns.take(() => look(table, seen));
    isOpen = true;
    return look(table, seen);
  };
}
