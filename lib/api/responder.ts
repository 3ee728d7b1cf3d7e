import { ServiceError } from '../domain/errors.ts';
import { takeSlot } from '../domain/instances/waiting-requests.ts';
import { BusyError } from '../ports/executions.ts';
import type { Ports } from '../ports/ports.ts';
import { UnreachableTableError } from '../ports/table.ts';
import type { Happened } from '../ports/telemetry/meter.ts';
import { audit } from './auditing.ts';
import { replyDeadline, streamDeadline, type TimeLeft } from './deadlines.ts';
import { logFault } from './fault-log.ts';
import { requirePermission } from './http/access.ts';
import { type Call, identify, maxBodyBytes, type Routed, toCall } from './http/call.ts';
import type { Caller } from './http/caller.ts';
import type { Endpoints } from './http/endpoints.ts';
import { type Match, matchRoute } from './http/match.ts';
import {
  faultText,
  OPTIONS,
  RawReply,
  type Reply,
  redirect,
  type StreamedReply,
  toErrorReply,
  toFaultReply,
  toReply,
  UNROUTED,
} from './http/reply.ts';
import type { Request, RequestHead } from './http/request.ts';
import type { LambdaName } from './registry/families.ts';
import { lambdaOf } from './registry/route.ts';
import type { AlwaysStreamedId, IdsServedBy } from './registry/routes/index.ts';
import { STREAM_HEADERS } from './streams/frames.ts';
import { type AnyEndpoint, type AnyStreamSource, lastEventIdOf, pollOf, wantsStream } from './streams/polls.ts';
import type { StreamSources } from './streams/sources.ts';
import { EventStream, LIST_INTERVALS, SNAPSHOT_INTERVALS } from './streams/stream.ts';

/** The handlers of the routes of a Lambda. The stream sources may be left out unless a route is always streamed. */
export type RouteHandlers<Name extends LambdaName> = { readonly endpoints: Endpoints<Name> } & ([
  Extract<IdsServedBy<Name>, AlwaysStreamedId>,
] extends [never]
  ? { readonly streamSources?: StreamSources<Name> }
  : { readonly streamSources: StreamSources<Name> });

/** The part of the context of a Lambda that is read. */
export interface Invocation extends TimeLeft {
  readonly awsRequestId: string;
}

function queryText({ query }: RequestHead): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

type Metered = Pick<Ports, 'meter'>;

function logFaultOf({ meter }: Metered, error: unknown, routed: Routed | undefined, invocation: Invocation): string {
  return logFault(error, { route: routed?.id, ...routed?.params }, invocation, meter);
}

/** Seconds after which a client may try again while the database cannot be reached. */
const RETRY_AFTER_S = 5;

/** Logs a fault. The reply asks for another attempt if only the database could not be reached. */
function replyToFault(ports: Metered, error: unknown, routed: Routed, invocation: Invocation): Reply {
  const id = logFaultOf(ports, error, routed, invocation);
  if (!(error instanceof UnreachableTableError)) return toFaultReply(id);
  const message = 'the database cannot be reached at this moment; try again later';
  return toErrorReply(new ServiceError('unavailable', message, {}, RETRY_AFTER_S));
}

/** The metrics of error replies, by the first digit of their status. */
const ERRORS: Readonly<Record<number, Happened>> = { 4: { ClientErrors: 1 }, 5: { ServerErrors: 1 } };

/** Counts a request; those without a route belong to the family `none`. */
function countRequest({ meter }: Metered, routed: Routed | undefined, status: number): void {
  meter?.note({ Requests: 1, ...ERRORS[Math.floor(status / 100)] }, routed?.route.family ?? 'none');
}

/** The replies of these families hold secrets, or show which there are: no cache keeps them. */
const UNCACHED: ReadonlySet<LambdaName> = new Set(['keys', 'secrets', 'registries']);

function withCaching<R extends Reply | StreamedReply>(reply: R, { route }: Routed): R {
  // No cache keeps an event stream; its `no-cache` is that of the original.
  const isStream = reply.headers['Content-Type'] === 'text/event-stream';
  if (isStream || !UNCACHED.has(lambdaOf(route))) return reply;
  return { ...reply, headers: { ...reply.headers, 'Cache-Control': 'no-store' } };
}

/** An authorized request, with the parts that serve it. */
interface Served {
  readonly received: Received;
  readonly request: Request;
  readonly routed: Routed;
  readonly call: Call;
  readonly ports: Ports;
  readonly endpoint: AnyEndpoint | undefined;
  readonly source: AnyStreamSource | undefined;
}

/** The seconds after which a definition that was throttled may succeed. */
const RETRY_AFTER_SECONDS = 20;

const toServiceError = ({ message }: BusyError): ServiceError =>
  new ServiceError('unavailable', `${message}; try again later`, {}, RETRY_AFTER_SECONDS);

async function openStream(served: Served, invocation: Invocation): Promise<EventStream> {
  const { ports, received, request, routed, call, source } = served;
  const deadline = streamDeadline(invocation, ports.clock.now());
  const { release } = await takeSlot(ports, deadline);
  return new EventStream({
    poll: pollOf(served, () => received.enter?.(tenantOf(call.caller, routed))),
    watch: ports.changes.watch(ports.table),
    clock: ports.clock,
    intervals: source === undefined ? SNAPSHOT_INTERVALS : LIST_INTERVALS,
    lastEventId: lastEventIdOf(request),
    deadline,
    hasPlainErrors: routed.route.refusal === 'plain',
    onFault: (error) => faultText(logFaultOf(ports, error, routed, invocation)),
    onEnd: release,
  });
}

/** Whose work a request is: that of its namespace, which its key allows, or of the key; empty without a key. */
const tenantOf = ({ id }: Caller, { params }: Routed): string =>
  id === '' ? '' : (params['namespace'] ?? `the key ${id}`);

/** The stream, or only its first event. */
async function toStreamReply(stream: EventStream, isStreaming: boolean): Promise<Reply | StreamedReply> {
  const first = await stream.open();
  const head = { status: 200, headers: STREAM_HEADERS };
  if (isStreaming) return { ...head, body: stream.toReadable(first) };
  await stream.end();
  return { ...head, body: first };
}

/** The reply to a request without a route; else its route. */
function routeOf(request: RequestHead, match: Match): { readonly routed: Routed } | { readonly reply: Reply } {
  if (request.method === 'OPTIONS') return { reply: OPTIONS };
  if ('status' in match) return { reply: UNROUTED[match.status] };
  if ('redirect' in match) return { reply: redirect(request.base + match.redirect + queryText(request)) };
  return { routed: match };
}

/** A request before its body is read and, if the caller has found it already, its route. */
export interface Received {
  readonly head: RequestHead;
  /** Reads the body of at most `most` bytes on the account of the key. Throws ServiceError. */
  readonly readBody: (keyId: string, most: number) => Promise<Uint8Array>;
  /**
   * Resolves when work for a tenant may begin; undefined: at once. The tenant is empty without a key. Absent where a
   * process serves one request at a time.
   */
  readonly enter?: ((tenant: string) => Promise<void> | undefined) | undefined;
  readonly match?: Match;
}

/**
 * Replies to a request: finds the route, authorizes the caller, then reads the body, and replies with the result of the endpoint or with an
 * event stream. Each error becomes a reply without a stack trace.
 */
export type Responder = (received: Received, invocation: Invocation) => Promise<Reply | StreamedReply>;

/** Receives the body of a request that may use its route. Resolves when work for the request may begin. */
async function receive({ head, readBody, enter }: Received, caller: Caller, routed: Routed): Promise<Request> {
  const body = await readBody(caller.id, maxBodyBytes(routed.route));
  const turn = enter?.(tenantOf(caller, routed));
  if (turn !== undefined) await turn;
  return { ...head, body };
}

/** The facts about a request that become known while it is served. */
interface Known {
  caller?: Caller;
  input?: unknown;
  isMistake?: boolean;
}

/** A request with its route while it is served. */
interface Exchange {
  readonly received: Received;
  readonly routed: Routed;
  readonly invocation: Invocation;
  readonly known: Known;
}

/**
 * Checks the key of a request. One that may not use its route gets its reply in the turn of its key, or of its address if no
 * key is valid: a client that sends any number of them keeps nobody else waiting. Throws `unauthorized`, `forbidden`.
 */
async function admit(ports: Ports, { received, routed, known }: Exchange): Promise<Caller> {
  const { params, route } = routed;
  try {
    const authenticated = await identify(ports, received.head, routed);
    known.caller = authenticated.caller;
    requirePermission(authenticated, route, params['namespace']);
    return known.caller;
  } catch (error) {
    await received.enter?.(known.caller === undefined ? '' : `the key ${known.caller.id}`);
    throw error;
  }
}

/** The responder of the routes of a Lambda. Unless it `isStreaming`, an event stream ends after its first event. */
export function responderOf<Name extends LambdaName>(
  { endpoints, streamSources }: RouteHandlers<Name>,
  ports: Ports,
  isStreaming: boolean,
): Responder {
  // The id of a route selects an endpoint and the call that it takes; the types cannot express that they belong together.
  const endpointOf = new Map(Object.entries(endpoints as Readonly<Record<string, AnyEndpoint>>));
  const sourceOf = new Map(Object.entries((streamSources ?? {}) as Readonly<Record<string, AnyStreamSource>>));
  const serve = async (exchange: Exchange): Promise<Reply | StreamedReply> => {
    const { received, routed, invocation, known } = exchange;
    const caller = await admit(ports, exchange);
    const request = await receive(received, caller, routed);
    const call = toCall(request, routed, { caller, deadline: replyDeadline(invocation, ports.clock.now()) });
    known.input = call.input;
    const [endpoint, source] = [endpointOf.get(routed.id), sourceOf.get(routed.id)];
    if (!wantsStream(request, routed)) {
      const value = await endpoint?.(ports, call);
      // A result of the engine must not reach the client of a route with an empty reply.
      const isEmpty = routed.route.reply === 'empty' && !(value instanceof RawReply);
      return toReply(isEmpty ? undefined : value);
    }
    return toStreamReply(
      await openStream({ received, request, routed, call, ports, endpoint, source }, invocation),
      isStreaming,
    );
  };
  return async (received, invocation) => {
    const { head, match } = received;
    const found = routeOf(head, match ?? matchRoute(head.method, head.path, head.query));
    if ('reply' in found) {
      await received.enter?.('');
      countRequest(ports, undefined, found.reply.status);
      return found.reply;
    }
    const { routed } = found;
    const known: Known = {};
    const reply = await serve({ received, routed, invocation, known }).catch((thrown: unknown) => {
      const error = thrown instanceof BusyError ? toServiceError(thrown) : thrown;
      known.isMistake = error instanceof ServiceError;
      return error instanceof ServiceError ? toErrorReply(error) : replyToFault(ports, error, routed, invocation);
    });
    // The work is done: the reply reports it, also if the entry could not be written.
    await audit(ports, { head, routed, reply, isMistake: false, ...known }).catch((error: unknown) =>
      logFaultOf(ports, error, routed, invocation),
    );
    countRequest(ports, routed, reply.status);
    return withCaching(reply, routed);
  };
}
