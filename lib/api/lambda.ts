import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/executionModeStandard';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { APIGatewayProxyEvent, Context, Handler } from 'aws-lambda';
import { ServiceError } from '../domain/errors.ts';
import type { Happened } from '../ports/meter.ts';
import type { Ports } from '../ports/ports.ts';
import { noteFault } from './faults.ts';
import { admit, type Call, type Endpoints, type NeedsOf, type Routed, toCall } from './http/call.ts';
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
import { type Request, toRequest } from './http/request.ts';
import type { FamilyName } from './registry/families.ts';
import { STREAM_HEADERS } from './streams/frames.ts';
import { type AnyEndpoint, type AnyTail, lookOf, seenBy, wantsStream } from './streams/polls.ts';
import { CALM_PACE, EventStream, PACE } from './streams/stream.ts';
import type { Tails } from './streams/tails.ts';

/** Makes each port when it is first needed, so that loading a handler needs no environment. */
export type Suppliers<Names extends keyof Ports = keyof Ports> = { readonly [Name in Names]: () => Ports[Name] };

/** What the chain looks at of a Lambda's context; a local gateway has no deadline. */
type Around = Pick<Context, 'awsRequestId'> & Partial<Pick<Context, 'getRemainingTimeInMillis'>>;

/** What the chain knows of one request, more with each link; middy keeps it. */
interface Passage {
  event: APIGatewayProxyEvent | Admitted;
  readonly context: Around;
  readonly internal: { request: Request; routed?: Routed };
  response: unknown;
  readonly error: unknown;
}

interface Admitted {
  readonly request: Request;
  readonly routed: Routed;
  readonly call: Call;
}

type Link = (passage: Passage) => unknown;
type Form = (reply: Reply | StreamedReply) => object;

function supplied(suppliers: Partial<Suppliers>): Ports {
  const made: Partial<Record<keyof Ports, unknown>> = {};
  return new Proxy(made, {
    get(_, name: keyof Ports) {
      made[name] ??= suppliers[name]?.();
      return made[name];
    },
  }) as Ports;
}

const toWhole = ({ status, headers, body }: Reply): object => {
  const isText = typeof body === 'string';
  const text = isText ? body : Buffer.from(body).toString('base64');
  return { statusCode: status, headers, body: text, isBase64Encoded: !isText };
};

const toStream: Form = ({ status, headers, body }) => ({
  statusCode: status,
  headers,
  body: body instanceof Uint8Array ? Readable.from([Buffer.from(body)], { objectMode: false }) : body,
});

interface Platform {
  readonly awslambda?: { readonly streamifyResponse?: unknown };
}

/** A platform that cannot stream may have the global all the same, empty: packages make it. */
const hasStreams = (): boolean => typeof (globalThis as Platform).awslambda?.streamifyResponse === 'function';

const read: Link = (passage) => {
  passage.internal.request = toRequest(passage.event as APIGatewayProxyEvent);
};

function queryText({ query }: Request): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

const route =
  (form: Form): Link =>
  ({ internal }) => {
    const { request } = internal;
    if (request.method === 'OPTIONS') return form(OPTIONS);
    const match = matchRoute(request.method, request.path, request.query);
    if ('status' in match) return form(UNROUTED[match.status]);
    if ('redirect' in match) return form(redirect(request.base + match.redirect + queryText(request)));
    internal.routed = match;
    return undefined;
  };

const enter =
  (ports: Ports, isServed: (id: string) => boolean): Link =>
  async (passage) => {
    const { request, routed } = passage.internal;
    if (routed === undefined) throw new Error('a request went on without a route');
    const caller = await admit(ports, request, routed);
    // Before the body is looked at: there is nothing to mend in it.
    if (!isServed(routed.id)) throw new ServiceError('not-built', `${routed.id} is not served yet`);
    passage.event = { request, routed, call: toCall(request, routed, caller) };
  };

/** Notes a fault in the log, under the number that the caller is told. */
function note({ meter }: Pick<Ports, 'meter'>, error: unknown, routed: Routed | undefined, context: Around): string {
  return noteFault(error, { route: routed?.id, ...routed?.params }, context, meter);
}

/** Which of the replies count as errors, and as which: the first digit of their status. */
const ERRORS: Readonly<Record<number, Happened>> = { 4: { ClientErrors: 1 }, 5: { ServerErrors: 1 } };

/** What belongs to no route is of the family `none`. */
const count =
  ({ meter }: Pick<Ports, 'meter'>): Link =>
  ({ internal, response }) => {
    // There is none where even the excuse failed.
    const status = (response as { readonly statusCode: number } | undefined)?.statusCode ?? 500;
    const family = internal.routed?.route.family ?? 'none';
    meter?.note({ Requests: 1, ...ERRORS[Math.floor(status / 100)] }, family);
  };

const excuse =
  (ports: Ports, form: Form): Link =>
  (passage) => {
    const { error, internal, context } = passage;
    const isMistake = error instanceof ServiceError;
    passage.response = form(
      isMistake ? toErrorReply(error) : toFaultReply(note(ports, error, internal.routed, context)),
    );
  };

/** Before its deadline a Lambda must have time to end what it streams. */
const MARGIN_MS = 10_000;

function streamOf(ports: Ports, admitted: Admitted, context: Around, endpoint?: AnyEndpoint, tail?: AnyTail) {
  const { request, routed } = admitted;
  const left = context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;
  return new EventStream({
    look: lookOf({ ...admitted, ports }, endpoint, tail),
    table: ports.table,
    watch: ports.changes.watch(ports.table),
    clock: ports.clock,
    pace: tail === undefined ? CALM_PACE : PACE,
    seen: seenBy(request),
    until: ports.clock.now() + left - MARGIN_MS,
    isPlain: routed.route.refusal === 'plain',
    onFault: (error) => faultText(note(ports, error, routed, context)),
  });
}

/** The stream, or, where replies leave whole, its first event. */
async function toStreamReply(stream: EventStream, isStreaming: boolean): Promise<Reply | StreamedReply> {
  const first = await stream.open();
  const head = { status: 200, headers: STREAM_HEADERS };
  if (isStreaming) return { ...head, body: stream.toReadable(first) };
  stream.close();
  return { ...head, body: first };
}

/**
 * The handler of a Lambda behind API Gateway: read the event, find the route, admit the caller, let the endpoint
 * answer, once or as an event stream. Whatever is thrown on the way becomes a reply; a stack trace never leaves.
 * Replies are streamed where the platform can, unless `mayStream` is false: behind an integration that takes them whole.
 * `tails` are what event streams read with in place of the endpoint: those of ever growing lists, those whose events
 * tell of one thing each, and those of routes that are nothing but a stream.
 */
export function lambda<Family extends FamilyName>(
  endpoints: Endpoints<Family>,
  suppliers: Suppliers<NeedsOf<Family>>,
  mayStream = true,
  tails: Tails<Family> = {},
): Handler {
  const ports = supplied(suppliers);
  const isStreaming = mayStream && hasStreams();
  const form = (isStreaming ? toStream : toWhole) as Form;
  const executionMode = isStreaming ? executionModeStreamifyResponse : executionModeStandard;
  const served = new Map(Object.entries<AnyEndpoint>(endpoints as never));
  const tailed = new Map(Object.entries<AnyTail>(tails as never));
  const answer = async (admitted: Admitted, context: Around) => {
    const { request, routed, call } = admitted;
    const endpoint = served.get(routed.id);
    if (!wantsStream(request, routed)) return form(toReply(await endpoint?.(ports, call)));
    const stream = streamOf(ports, admitted, context, endpoint, tailed.get(routed.id));
    return form(await toStreamReply(stream, isStreaming));
  };
  const chain = middy<Admitted>(answer, { executionMode, requestEnd: count(ports) as never });
  const links: readonly Link[] = [read, route(form), enter(ports, (id) => served.has(id) || tailed.has(id))];
  for (const link of links) chain.before(link as never);
  chain.onError(excuse(ports, form) as never);
  return chain as Handler;
}
