import { InvokeCommand, type InvokeCommandOutput, type LambdaClient } from '@aws-sdk/client-lambda';
import type { ContainerCall, ContainerResult } from '../../../ports.ts';
import { type Answer, failed, failureIn, headersOf, spellings } from './protocol.ts';

/** Lambda's own bound for what goes in and for what comes out (aws-facts 1.4). */
export const MOST_BYTES = 6 * 1024 * 1024;
/** Of these the event around the body takes some. */
const MOST_BODY_BYTES = MOST_BYTES - 4_096;
const shown = '6 MiB';

/** Lambda refused to begin: the container did not run, and the call may be made again. */
const NOT_BEGUN: ReadonlySet<string> = new Set([
  'TooManyRequestsException',
  'ResourceNotReadyException',
  'ResourceConflictException',
  'CodeArtifactUserPendingException',
]);

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/** The function is not there: it was deleted by somebody else, or with a former deployment. */
export class Lost extends Error {}

export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

/**
 * The call as API Gateway would make it of a request, which is what the adapter beside the container understands. The
 * only place that a container may write to is `/tmp`, so that is its directory.
 */
export function eventOf(call: ContainerCall): object {
  const headers = {
    host: 'localhost:8080',
    'content-type': 'application/json',
    ...headersOf(call),
    ...spellings('ActionID', call.actionId),
    ...spellings('TempDir', '/tmp'),
  };
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/',
    rawQueryString: '',
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    requestContext: {
      routeKey: '$default',
      stage: '$default',
      requestId: call.actionId,
      http: { method: 'POST', path: '/', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'weft' },
      timeEpoch: 0,
    },
    body: Buffer.from(call.input).toString('base64'),
    isBase64Encoded: true,
  };
}

/** What Lambda refuses before the container sees it; undefined: nothing. */
function problemOf({ files, input }: ContainerCall): string | undefined {
  if (files.length > 0) {
    return `the action gives its container files ('${files[0]?.name}'), which containers on AWS Lambda cannot be given: put what they hold into the action's input`;
  }
  const bytes = Math.ceil(input.length / 3) * 4;
  if (bytes <= MOST_BODY_BYTES) return undefined;
  return `the input has ${input.length} bytes; a container on AWS Lambda takes at most ${Math.floor((MOST_BODY_BYTES / 4) * 3)}`;
}

interface Payload {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

function answerIn({
  statusCode = 0,
  headers = {},
  multiValueHeaders = {},
  body = '',
  isBase64Encoded,
}: Payload): Answer {
  const all = Object.entries<string | readonly string[]>({ ...multiValueHeaders, ...headers });
  const found = new Map(all.map(([name, value]) => [name.toLowerCase(), [value].flat()[0] ?? '']));
  const headerOf = (name: string) =>
    ['direktiv', 'service'].map((brand) => found.get(`${brand}-${name}`)).find((value) => value) ?? '';
  return {
    status: statusCode,
    errorCode: headerOf('errorcode'),
    errorMessage: headerOf('errormessage'),
    body: Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

/** Words of Lambda for what users meet, as users know it. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /ResponseSizeTooLarge|response payload size/i,
    `the container's answer has more than ${shown}, the most that AWS Lambda passes on`,
  ],
  [/timed out/i, 'the container did not answer within 15 minutes, the longest that AWS Lambda lets it run'],
  [/ExitError|exited|signal/i, 'the container ended before it answered'],
];

/** The function itself failed: its program ended, or ran for too long. */
function crashOf(text: string): ContainerResult {
  const { errorType = '', errorMessage = text } = parsed(text) as { errorType?: string; errorMessage?: string };
  const words = WORDS.find(([sign]) => sign.test(`${errorType} ${errorMessage}`))?.[1] ?? 'the container failed';
  return failed(`${words}: ${errorMessage.slice(0, 1_000)}`);
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function resultOf({ FunctionError, Payload }: InvokeCommandOutput): ContainerResult {
  const text = Buffer.from(Payload ?? []).toString('utf8');
  if (FunctionError !== undefined) return crashOf(text);
  const answer = answerIn(parsed(text) as Payload);
  const failure = failureIn(answer);
  return failure === undefined ? { body: answer.body, outputs: [] } : failed(failure.message, failure.code);
}

/**
 * Calls a version of a function. What Lambda refused to begin is tried again until the signal; a call that broke off is
 * not, as the container may have done its work. Throws what the signal says, and Lost.
 */
export async function invoke(
  client: LambdaClient,
  version: string,
  call: ContainerCall,
  pause: Pause,
  signal: AbortSignal,
): Promise<ContainerResult> {
  const problem = problemOf(call);
  if (problem !== undefined) return failed(problem);
  const Payload = Buffer.from(JSON.stringify(eventOf(call)));
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(LONGEST_PAUSE_MS, wait * 2)) {
    signal.throwIfAborted();
    try {
      return resultOf(
        await client.send(new InvokeCommand({ FunctionName: version, Payload }), { abortSignal: signal }),
      );
    } catch (error) {
      signal.throwIfAborted();
      const { name, message } = error as Error;
      if (name === 'ResourceNotFoundException') throw new Lost(message);
      if (!NOT_BEGUN.has(name)) return failed(`AWS Lambda did not carry out the call: ${name}: ${message}`);
    }
    await pause((Math.random() + 0.5) * wait, signal);
  }
}
