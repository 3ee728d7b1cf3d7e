import { Readable } from 'node:stream';
import { Logger } from '@aws-lambda-powertools/logger';
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/executionModeStandard';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { APIGatewayProxyEvent, Context, Handler } from 'aws-lambda';
import { ServiceError } from '../domain/errors.ts';
import type { Ports } from '../ports.ts';
import { admit, type Call, type Endpoints, type NeedsOf, type Routed, toCall } from './call.ts';
import type { FamilyName } from './families.ts';
import { matchRoute } from './match.ts';
import { OPTIONS, type Reply, redirect, toErrorReply, toFaultReply, toReply, UNROUTED } from './reply.ts';
import { type Request, toRequest } from './request.ts';

/** Makes each port when it is first needed, so that loading a handler needs no environment. */
export type Suppliers<Names extends keyof Ports = keyof Ports> = { readonly [Name in Names]: () => Ports[Name] };

/** What the chain knows of one request, more with each link; middy keeps it. */
interface Passage {
  event: APIGatewayProxyEvent | Admitted;
  readonly context: Pick<Context, 'awsRequestId'>;
  readonly internal: { request: Request; routed?: Routed };
  response: unknown;
  readonly error: unknown;
}

interface Admitted {
  readonly routed: Routed;
  readonly call: Call;
}

type Link = (passage: Passage) => unknown;
type Form = (reply: Reply) => object;

const logger = new Logger({ serviceName: 'weft' });

function supplied(suppliers: Partial<Suppliers>): Ports {
  const made: Partial<Record<keyof Ports, unknown>> = {};
  return new Proxy(made, {
    get(_, name: keyof Ports) {
      made[name] ??= suppliers[name]?.();
      return made[name];
    },
  }) as Ports;
}

const toWhole: Form = ({ status, headers, body }) => {
  const isText = typeof body === 'string';
  const text = isText ? body : Buffer.from(body).toString('base64');
  return { statusCode: status, headers, body: text, isBase64Encoded: !isText };
};

const toStream: Form = ({ status, headers, body }) => ({
  statusCode: status,
  headers,
  body: typeof body === 'string' ? body : Readable.from([Buffer.from(body)], { objectMode: false }),
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
    passage.event = { routed, call: toCall(request, routed, caller) };
  };

const excuse =
  (form: Form): Link =>
  (passage) => {
    const { error, internal } = passage;
    if (error instanceof ServiceError) {
      passage.response = form(toErrorReply(error));
      return;
    }
    const requestId = passage.context.awsRequestId ?? 'no number';
    logger.error('a fault of the service', { requestId, route: internal.routed?.id, error: error as Error });
    passage.response = form(toFaultReply(requestId));
  };

/**
 * The handler of a Lambda behind API Gateway: read the event, find the route, admit the caller, let the endpoint
 * answer. Whatever is thrown on the way becomes a reply; a stack trace never leaves. Replies are streamed where the
 * platform can, unless `mayStream` is false: behind an integration that takes them whole.
 */
export function lambda<Family extends FamilyName>(
  endpoints: Endpoints<Family>,
  suppliers: Suppliers<NeedsOf<Family>>,
  mayStream = true,
): Handler {
  const ports = supplied(suppliers);
  const isStreaming = mayStream && hasStreams();
  const form = isStreaming ? toStream : toWhole;
  const executionMode = isStreaming ? executionModeStreamifyResponse : executionModeStandard;
  const served = new Map(Object.entries<(ports: Ports, call: Call) => unknown>(endpoints as never));
  const answer = async ({ routed, call }: Admitted) => form(toReply(await served.get(routed.id)?.(ports, call)));
  const chain = middy<Admitted>(answer, { executionMode });
  const links: readonly Link[] = [read, route(form), enter(ports, (id) => served.has(id))];
  for (const link of links) chain.before(link as never);
  chain.onError(excuse(form) as never);
  return chain as Handler;
}
