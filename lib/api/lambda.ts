import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/executionModeStandard';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { Context, Handler } from 'aws-lambda';
import type { Ports } from '../ports/ports.ts';
import type { Reply, StreamedReply } from './http/reply.ts';
import { type RequestEvent, readBody, toRequestHead } from './http/request.ts';
import type { LambdaName } from './registry/families.ts';
import type { NeedsOf } from './registry/routes/index.ts';
import { type RouteHandlers, responderOf } from './responder.ts';

/** Makes each port when it is first used, so that importing a handler needs no environment. */
export type Suppliers<Names extends keyof Ports = keyof Ports> = { readonly [Name in Names]: () => Ports[Name] };

/** Turns a reply into the form that the platform expects. */
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

/** Without it, the reply would be sent in chunks, which some clients do not expect of an empty body. */
const EMPTY = { 'Content-Length': '0' };

const toStreamed: Format = ({ status, headers, body }) => ({
  statusCode: status,
  headers: !(body instanceof Readable) && body.length === 0 ? { ...headers, ...EMPTY } : headers,
  body: body instanceof Uint8Array ? Readable.from([Buffer.from(body)], { objectMode: false }) : body,
});

interface Platform {
  readonly awslambda?: { readonly streamifyResponse?: unknown };
}

/** The global alone does not show that the platform streams: packages create an empty one. */
const canStream = (): boolean => typeof (globalThis as Platform).awslambda?.streamifyResponse === 'function';

/**
 * The handler of a Lambda behind API Gateway: reads the event and replies as `responderOf`. Replies are streamed if the
 * platform can and `mayStream` is true; else an event stream ends after its first event. Traces of runs that ended during
 * the request are exported before the handler returns, because Lambda stops the process then.
 */
export function lambda<Name extends LambdaName>(
  handlers: RouteHandlers<Name>,
  suppliers: Suppliers<NeedsOf<Name>>,
  mayStream: boolean,
): Handler {
  const ports = lazyPorts(suppliers) as Ports;
  const isStreaming = mayStream && canStream();
  const format = isStreaming ? toStreamed : toBuffered;
  const executionMode = isStreaming ? executionModeStreamifyResponse : executionModeStandard;
  const respond = responderOf(handlers, ports, isStreaming);
  const handle = async (event: RequestEvent, context: Context): Promise<object> => {
    const read = (keyId: string, most: number) => readBody(event, keyId, most);
    return format(await respond({ head: toRequestHead(event), readBody: read }, context));
  };
  // By then a streamed reply has reached its client; a buffered reply waits for the export.
  const requestEnd = async (): Promise<void> => ports.traces?.flush();
  return middy<RequestEvent, object, Error, Context>(handle, { executionMode, requestEnd });
}
