import { STATUS_CODES } from 'node:http';
import * as namespaces from '../../domain/namespaces/namespaces.ts';
import { UnreachableError, type WebResponse } from '../../ports/callees/web.ts';
import type { RunnerPorts } from '../ports.ts';
import { HTTP_CODES, type HttpCause, statusCode } from './codes.ts';
import { mask } from './masks.ts';
import { forgetToken, obtainToken, TokenError, type TokenRequest } from './oauth.ts';
import type { NativeFailure, Outcome } from './outcome.ts';
import type { PreparedRequest } from './prepared.ts';
import { bodyValueOf, excerptOf, retryAfterOf } from './responses.ts';

/** The largest response, bytes after decompression. */
export const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** Identifies a call to the server that gets it. */
export interface CallIdentity {
  readonly namespaceId: string;
  readonly namespace: string;
  /** The same for every repetition and retry of the call. */
  readonly idempotencyKey: string;
  /** Names the trace and the span of the call (W3C Trace Context). */
  readonly traceparent: string;
}

/** One call over HTTP. */
export interface HttpCall {
  readonly ports: RunnerPorts;
  readonly identity: CallIdentity;
  readonly request: PreparedRequest;
  /** When the caller stops waiting, milliseconds since 1970. */
  readonly until: number;
  readonly signal?: AbortSignal;
}

/**
 * Sends the request of a call within its deadline. Returns `{status, headers, body}`, or the failure with its code; never
 * throws for a fault of the server or the network. No message contains a secret of the request.
 */
export async function sendCall(call: HttpCall): Promise<Outcome> {
  try {
    const response = await exchangeCall(call);
    return { ...toOutcome(call, response), sent: sentBy(call, response) };
  } catch (error) {
    if (error instanceof TokenError) return { ...failed(call, 'auth', error.message), sent: sentBy(call) };
    if (!(error instanceof UnreachableError)) throw error;
    const message = error.problem === 'timeout' ? withLimit(call, error) : error.message;
    return { ...failed(call, error.problem, message), sent: sentBy(call) };
  }
}

/** The message of a timeout: the host that did not answer, and how long the function waits. */
const withLimit = ({ request }: HttpCall, { message }: Error): string =>
  `${message}; the function waits for ${request.ms / 1000} s, and not longer than its state`;

/** The request of a call, for the record of the run, and the status of its response. */
export const sentBy = ({ request }: Pick<HttpCall, 'request'>, response?: WebResponse): Outcome['sent'] & object => ({
  kind: 'http',
  to: mask(nameOf(request), request.secrets),
  ...(response && { status: response.status }),
});

/**
 * Sends the request of a call and returns the response, whatever its status. Throws TokenError and UnreachableError. A
 * response of 401 to a token that this process kept may mean that the server has withdrawn it: a new one is tried.
 */
export async function exchangeCall(call: HttpCall): Promise<WebResponse> {
  const { ports, request, until } = call;
  const end = Math.min(ports.clock.now() + request.ms, until);
  const { oauth } = request;
  if (oauth === undefined) return send(call, end);
  const asking: TokenRequest = {
    ports,
    namespaceId: call.identity.namespaceId,
    client: oauth,
    exchange: { ...limitsOf(call), ms: end - ports.clock.now() },
  };
  const { token, isKept } = await obtainToken(asking);
  const response = await send(call, end, token);
  if (response.status !== 401) return response;
  forgetToken(asking);
  return isKept ? send(call, end, (await obtainToken(asking)).token) : response;
}

function limitsOf({ ports, identity, request: { isInsecure }, signal }: HttpCall) {
  const opened = async () => (await namespaces.need(ports, identity.namespace)).egress;
  return { isInsecure, opened, ...(signal && { signal }) };
}

function send(call: HttpCall, end: number, token?: string): Promise<WebResponse> {
  const { ports, identity, request } = call;
  const { url, method, headers, credentials, body, bodyEncoding = 'utf8', signing, redirects } = request;
  return ports.web.send({
    url: new URL(url),
    method,
    headers: {
      'user-agent': `weft/${ports.settings.version}`,
      accept: '*/*',
      'idempotency-key': identity.idempotencyKey,
      traceparent: identity.traceparent,
      ...headers,
    },
    credentials: token === undefined ? credentials : { ...credentials, authorization: `Bearer ${token}` },
    ...(signing && { signing }),
    ...(body === undefined ? {} : { body: Buffer.from(body, bodyEncoding) }),
    ms: end - ports.clock.now(),
    maxBytes: MAX_RESPONSE_BYTES,
    redirects,
    ...limitsOf(call),
  });
}

const isExpected = ({ expect }: PreparedRequest, status: number): boolean =>
  expect.some((wanted) => wanted === status || wanted === `${Math.floor(status / 100)}xx`);

function toOutcome(call: HttpCall, response: WebResponse): Outcome {
  const { status, headers } = response;
  if (!isExpected(call.request, status)) return unexpected(call, response);
  const value = bodyValueOf(response);
  if ('cause' in value) return failed(call, value.cause, `the response cannot be used: ${value.problem}`);
  return { value: { status, headers, body: value.body } };
}

/** The request as messages name it: without the query, which may hold anything. */
function nameOf({ method, url }: PreparedRequest): string {
  const { origin, pathname } = new URL(url);
  return `${method} ${origin}${pathname}`;
}

function unexpected(call: HttpCall, response: WebResponse): Outcome {
  const { status } = response;
  const excerpt = excerptOf(response);
  const reason = `answered ${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const failure = failureOf(call, statusCode(status), excerpt === '' ? reason : `${reason}: ${excerpt}`);
  const retryAfter = retryAfterOf(response, call.ports.clock.now());
  return { failure: { ...failure, ...(retryAfter === undefined ? {} : { retryAfter }) } };
}

const failed = (call: HttpCall, cause: HttpCause, text: string): Outcome => ({
  failure: failureOf(call, HTTP_CODES[cause], `failed: ${text}`),
});

function failureOf({ ports: { settings }, request }: HttpCall, code: string, text: string): NativeFailure {
  return { code: `${settings.brand}.${code}`, message: mask(`${nameOf(request)} ${text}`, request.secrets) };
}
