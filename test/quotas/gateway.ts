import { PassThrough } from 'node:stream';
import type { Handler } from 'aws-lambda';
import type { Resource } from '../cdk/stack.ts';
import { ofType } from '../cdk/stack.ts';

/** How a method of API Gateway calls its Lambda, as its template says. */
export interface GatewayIntegration {
  readonly isStreamed: boolean;
  readonly timeoutMs: number;
}

/** Limits of API Gateway for Regional APIs (aws-facts, 1.5), milliseconds. */
const DEFAULT_TIMEOUT_MS = 29_000;
const MAX_STREAMED_MS = 900_000;
const MAX_SILENCE_MS = 300_000;

/** The integration of the methods that call a Lambda of the service. Throws for a timeout that AWS rejects. */
export function integrationOf(resources: Record<string, Resource>, lambda: string): GatewayIntegration {
  const found = ofType(resources, 'AWS::ApiGateway::Method')
    .map(([, { Properties }]) => Properties['Integration'] as Readonly<Record<string, unknown>>)
    .find((integration) => JSON.stringify(integration['Uri']).includes(`Functions${lambda}Function`));
  if (found === undefined) throw new Error(`no method calls ${lambda}`);
  const isStreamed = found['ResponseTransferMode'] === 'STREAM';
  const timeoutMs = Number(found['TimeoutInMillis'] ?? DEFAULT_TIMEOUT_MS);
  const most = isStreamed ? MAX_STREAMED_MS : DEFAULT_TIMEOUT_MS;
  if (timeoutMs < 50 || timeoutMs > most) throw new Error(`TimeoutInMillis ${timeoutMs} is not in 50 to ${most}`);
  return { isStreamed, timeoutMs };
}

/** The reply that a client of API Gateway receives. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When API Gateway ended the reply in place of the Lambda. */
  readonly cutAfterMs?: number;
}

interface Part {
  readonly at: number;
  readonly text: string;
}

interface Prelude {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The reply that the client receives if a Lambda sends these parts: API Gateway ends it if it is late or silent. */
function receive(
  parts: readonly Part[],
  head: Prelude,
  began: number,
  { isStreamed, timeoutMs }: GatewayIntegration,
): Received {
  const { statusCode: status, headers = {} } = head;
  let body = '';
  let last = began;
  for (const { at, text } of parts) {
    const silent = isStreamed ? MAX_SILENCE_MS : timeoutMs;
    const limit = Math.min(began + timeoutMs, last + silent);
    if (at > limit) {
      const cutAfterMs = limit - began;
      return last === began
        ? { status: 504, headers: {}, body: '', cutAfterMs }
        : { status, headers, body, cutAfterMs };
    }
    body += text;
    last = at;
  }
  return { status, headers, body };
}

/** Calls a streaming handler as Lambda does, and returns the reply of API Gateway; `now` is the time of the test. */
export async function request(
  handler: Handler,
  event: object,
  integration: GatewayIntegration,
  now: () => number,
): Promise<Received> {
  const began = now();
  const parts: Part[] = [];
  let head: Prelude = { statusCode: 200 };
  const body = new PassThrough();
  body.on('data', (chunk: Buffer) => parts.push({ at: now(), text: chunk.toString() }));
  const begin = (prelude: Prelude) => {
    head = prelude;
    parts.push({ at: now(), text: '' });
    return body;
  };
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => MAX_STREAMED_MS - (now() - began) };
  const streaming = handler as unknown as (event: object, response: object, context: object) => Promise<void>;
  await streaming(event, Object.assign(body, { begin }), context);
  parts.push({ at: now(), text: '' });
  return receive(parts, head, began, integration);
}

/** Installs the global with which a Lambda streams its reply; handlers read it when they are made. */
export function installStreaming(): void {
  const HttpResponseStream = {
    from: (response: { begin: (head: Prelude) => object }, head: Prelude) => response.begin(head),
  };
  Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler, HttpResponseStream } });
}
