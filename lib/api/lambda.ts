import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/executionModeStandard';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { Context, Handler } from 'aws-lambda';
import { ServiceError } from '../domain/errors.ts';
import type { Happened } from '../ports/meter.ts';
import type { Ports } from '../ports/ports.ts';
import { logFault } from './fault-log.ts';
import { authorize, type Call, maxBodyBytes, type Routed, toCall } from './http/call.ts';
import type { Endpoints } from './http/endpoints.ts';
import { matchRoute } from './http/match.ts';
import {
  faultText,
  OPTIONS,
  type Reply,
  redirect,
  type StreamedReply,
  toErrorReply,
  toFaultReply,
  toReply,
  UNROUTED,
} from './http/reply.ts';
import { type Request, type RequestEvent, type RequestHead, readBody, toRequestHead } from './http/request.ts';
import type { LambdaName } from './registry/families.ts';
import { lambdaOf } from './registry/route.ts';
import type { AlwaysStreamedId, IdsServedBy, NeedsOf } from './registry/routes/index.ts';
import { STREAM_HEADERS } from './streams/frames.ts';
import { type AnyEndpoint, type AnyStreamSource, lastEventIdOf, pollOf, wantsStream } from './streams/polls.ts';
import type { StreamSources } from './streams/sources.ts';
import { EventStream, LIST_INTERVALS, SNAPSHOT_INTERVALS } from './streams/stream.ts';

/** Makes each port when it is first used, so that importing a handler needs no environment. */
export type Suppliers<Names extends keyof Ports = keyof Ports> = { readonly [Name in Names]: () => Ports[Name] };

/** What serves the routes of a Lambda. The stream sources may be left out unless a route is always streamed. */
export type RouteHandlers<Name extends LambdaName> = { readonly endpoints: Endpoints<Name> } & ([
  Extract<IdsServedBy<Name>, AlwaysStreamedId>,
] extends [never]
  ? { readonly streamSources?: StreamSources<Name> }
  : { readonly streamSources: StreamSources<Name> });

/** A request that may use its route. It takes the place of the event. */
interface AuthorizedRequest {
  readonly request: Request;
  readonly routed: Routed;
  readonly call: Call;
}

/** What is known about a request so far, for the log and the metrics. */
type Known = { routed?: Routed };

/** One request on its way through the middleware. */
type RequestState = middy.Request<RequestEvent | AuthorizedRequest, object, Error, Context, Known>;

type Middleware = (state: RequestState) => unknown;

/** The part of the context that is read. The local gateway sets no deadline. */
type Invocation = Pick<Context, 'awsRequestId'> & Partial<Pick<Context, 'getRemainingTimeInMillis'>>;

/** Turns a reply into what the platform expects. */
type Format = (reply: Reply | StreamedReply) => object;

function lazyPorts<Names extends keyof Ports>(suppliers: Suppliers<Names>): Pick<Ports, Names> {
  const ports: Partial<Pick<Ports, Names>> = {};
  return new Proxy(ports, {
    get: (_, name) => {
      const port = name as Names;
      ports[port] ??= suppliers[port]?.();
      return ports[port];
    },
  }) as Pick<Ports, Names>;
}

const toBuffered: Format = ({ status, headers, body }) => {
  if (body instanceof Readable) throw new Error('a stream cannot be sent in one piece');
  const isText = typeof body === 'string';
  const text = isText ? body : Buffer.from(body).toString('base64');
  return { statusCode: status, headers, body: text, isBase64Encoded: !isText };
};

const toStreamed: Format = ({ status, headers, body }) => ({
  statusCode: status,
  headers,
  body: body instanceof Uint8Array ? Readable.from([Buffer.from(body)], { objectMode: false }) : body,
});

interface Platform {
  readonly awslambda?: { readonly streamifyResponse?: unknown };
}

/** The global alone does not show that the platform streams: packages create an empty one. */
const canStream = (): boolean => typeof (globalThis as Platform).awslambda?.streamifyResponse === 'function';

function queryText({ query }: RequestHead): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/**
 * Returns the reply if the request has no route, which ends the chain. Else the state has the authorized request. The body
 * is read after the key was checked.
 */
const authorizeRequest =
  (ports: Pick<Ports, 'table' | 'vault'>, format: Format): Middleware =>
  async (state) => {
    if ('call' in state.event) throw new Error('the request is authorized already');
    const head = toRequestHead(state.event);
    if (head.method === 'OPTIONS') return format(OPTIONS);
    const routed = matchRoute(head.method, head.path, head.query);
    if ('status' in routed) return format(UNROUTED[routed.status]);
    if ('redirect' in routed) return format(redirect(head.base + routed.redirect + queryText(head)));
    state.internal.routed = routed;
    const caller = await authorize(ports, head, routed);
    const request = { ...head, body: await readBody(state.event, caller.id, maxBodyBytes(routed.route)) };
    state.event = { request, routed, call: toCall(request, routed, caller) };
    return undefined;
  };

type Metered = Pick<Ports, 'meter'>;

function logFaultOf({ meter }: Metered, error: unknown, { routed }: Known, invocation: Invocation): string {
  return logFault(error, { route: routed?.id, ...routed?.params }, invocation, meter);
}

const onError =
  (ports: Metered, format: Format): Middleware =>
  (state) => {
    const { error, internal, context } = state;
    const isMistake = error instanceof ServiceError;
    state.response = format(
      isMistake ? toErrorReply(error) : toFaultReply(logFaultOf(ports, error, internal, context)),
    );
  };

/** The metrics of error replies, by the first digit of their status. */
const ERRORS: Readonly<Record<number, Happened>> = { 4: { ClientErrors: 1 }, 5: { ServerErrors: 1 } };

/** Counts a request; those without a route belong to the family `none`. There is no response if `onError` failed. */
function countRequest({ meter }: Metered, { routed }: Known, status = 500): void {
  meter?.note({ Requests: 1, ...ERRORS[Math.floor(status / 100)] }, routed?.route.family ?? 'none');
}

/** The time before its deadline in which a Lambda ends its streams. */
const MARGIN_MS = 10_000;

/** The replies of these families hold secrets, or show which there are: no cache keeps them. */
const UNCACHED: ReadonlySet<LambdaName> = new Set(['keys', 'secrets', 'registries']);

function withCaching<R extends Reply | StreamedReply>(reply: R, { route }: Routed): R {
  if (!UNCACHED.has(lambdaOf(route))) return reply;
  return { ...reply, headers: { ...reply.headers, 'Cache-Control': 'no-store' } };
}

/** What serves an authorized request. */
interface Served extends AuthorizedRequest {
  readonly ports: Ports;
  readonly endpoint: AnyEndpoint | undefined;
  readonly source: AnyStreamSource | undefined;
}

function openStream(served: Served, invocation: Invocation): EventStream {
  const { ports, request, routed, source } = served;
  const remaining = invocation.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;
  return new EventStream({
    poll: pollOf(served),
    watch: ports.changes.watch(ports.table),
    clock: ports.clock,
    intervals: source === undefined ? SNAPSHOT_INTERVALS : LIST_INTERVALS,
    lastEventId: lastEventIdOf(request),
    deadline: ports.clock.now() + remaining - MARGIN_MS,
    hasPlainErrors: routed.route.refusal === 'plain',
    onFault: (error) => faultText(logFaultOf(ports, error, { routed }, invocation)),
  });
}

/** The stream, or only its first event. */
async function toStreamReply(stream: EventStream, isStreaming: boolean): Promise<Reply | StreamedReply> {
  const first = await stream.open();
  const head = { status: 200, headers: STREAM_HEADERS };
  if (isStreaming) return { ...head, body: stream.toReadable(first) };
  stream.close();
  return { ...head, body: first };
}

/**
 * The handler of a Lambda behind API Gateway: reads the event, finds the route, authorizes the caller, and replies with
 * the result of the endpoint or with an event stream. Each error becomes a reply without a stack trace. Replies are
 * streamed if the platform can and `mayStream` is true; else an event stream ends after its first event.
 */
export function lambda<Name extends LambdaName>(
  { endpoints, streamSources }: RouteHandlers<Name>,
  suppliers: Suppliers<NeedsOf<Name>>,
  mayStream: boolean,
): Handler {
  const ports = lazyPorts(suppliers) as Ports;
  const isStreaming = mayStream && canStream();
  const format = isStreaming ? toStreamed : toBuffered;
  const executionMode = isStreaming ? executionModeStreamifyResponse : executionModeStandard;
  // The id of a route selects an endpoint and the call that it takes; the types cannot express that they belong together.
  const endpointOf = new Map(Object.entries(endpoints as Readonly<Record<string, AnyEndpoint>>));
  const sourceOf = new Map(Object.entries((streamSources ?? {}) as Readonly<Record<string, AnyStreamSource>>));
  const reply = async (event: RequestEvent | AuthorizedRequest, context: Context): Promise<object> => {
    if (!('call' in event)) throw new Error('the request is not authorized');
    const { request, routed, call } = event;
    const [endpoint, source] = [endpointOf.get(routed.id), sourceOf.get(routed.id)];
    if (!wantsStream(request, routed)) return format(withCaching(toReply(await endpoint?.(ports, call)), routed));
    return format(await toStreamReply(openStream({ ...event, ports, endpoint, source }, context), isStreaming));
  };
  return middy<RequestState['event'], object, Error, Context, Known>(reply, {
    executionMode,
    requestEnd: ({ internal, response }) => countRequest(ports, internal, response?.statusCode),
  })
    .before(authorizeRequest(ports, format))
    .onError(onError(ports, format));
}
