import type { LambdaClientConfig } from '@aws-sdk/client-lambda';
import { parseJson } from '../../language/json-numbers.ts';
import {
  type Invocation,
  type InvocationReply,
  LambdaError,
  type LambdaProblem,
  type Lambdas,
} from '../../ports/callees/lambdas.ts';

/** The errors of Lambda and of its client by their names; any other is a fault of the service. */
const PROBLEMS: Readonly<Record<string, LambdaProblem>> = {
  ResourceNotFoundException: 'notFound',
  TooManyRequestsException: 'throttled',
  EC2ThrottledException: 'throttled',
  RequestTooLargeException: 'tooLarge',
  InvalidParameterValueException: 'request',
  InvalidRequestContentException: 'request',
  ValidationException: 'request',
  UnsupportedMediaTypeException: 'request',
  AccessDeniedException: 'access',
  UnrecognizedClientException: 'access',
  InvalidSignatureException: 'access',
  InvalidClientTokenId: 'access',
  ExpiredTokenException: 'access',
  CredentialsProviderError: 'access',
  KMSAccessDeniedException: 'access',
};

/** The client finds no region; it has no error name for this. */
const NO_REGION = /Region is missing/;

function toLambdaError(error: unknown, deadline: AbortSignal, ms: number): LambdaError {
  if (deadline.aborted) return new LambdaError('timeout', `it took longer than ${ms} ms`);
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  // Further lines are about fields of the SDK.
  const text = `${name}: ${message.split('\n')[0]}`;
  if (NO_REGION.test(message)) return new LambdaError('access', 'no region is set: set AWS_REGION');
  return new LambdaError((Object.hasOwn(PROBLEMS, name) && PROBLEMS[name]) || 'service', text);
}

/** The client is loaded at the first invocation: most services make none. */
async function openClient(config: LambdaClientConfig) {
  const { openLambdaClient } = await import('./lambda-client.ts');
  return openLambdaClient(config);
}

/**
 * The port Lambdas through the SDK of AWS, whose credentials, region and endpoint are those of the environment unless the
 * configuration has others.
 */
export function awsLambdas(config: LambdaClientConfig = {}): Lambdas {
  let opened: ReturnType<typeof openClient> | undefined;
  return {
    async invoke({ function: name, payload, context, ms, signal }: Invocation): Promise<InvocationReply> {
      opened ??= openClient(config);
      const send = await opened;
      const deadline = AbortSignal.timeout(ms);
      const ClientContext = Buffer.from(JSON.stringify({ custom: context })).toString('base64');
      const input = { FunctionName: name, Payload: payload, ClientContext };
      const reply = await send(input, signal ? AbortSignal.any([deadline, signal]) : deadline).catch(
        (error: unknown) => {
          throw toLambdaError(error, deadline, ms);
        },
      );
      const answer = reply.Payload ?? new Uint8Array();
      return reply.FunctionError === undefined ? { payload: answer } : { error: errorOf(answer) };
    },
  };
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The error of a function as its runtime reports it: a JSON object with a type and a message. */
function errorOf(payload: Uint8Array): { type: string; message: string } {
  const text = Buffer.from(payload).toString('utf8');
  try {
    const { errorType = '', errorMessage = '' } = parseJson(text) as Record<string, unknown>;
    return { type: toText(errorType), message: toText(errorMessage) };
  } catch {
    return { type: '', message: text };
  }
}
