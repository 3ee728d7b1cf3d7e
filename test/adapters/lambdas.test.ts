import { afterEach, describe, expect, test } from 'vitest';
import { awsLambdas } from '../../lib/adapters/portable/lambdas.ts';
import { type Invocation, LambdaError } from '../../lib/ports/callees/lambdas.ts';
import { type AwsServer, type Reply, startAwsServer } from './aws/server.ts';

const servers: AwsServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** An endpoint of Lambda on loopback, and the port that uses it. */
async function open(reply: () => Reply | Promise<Reply>) {
  const server = await startAwsServer(reply);
  servers.push(server);
  return { server, lambdas: awsLambdas(server.config) };
}

const invocation = (fields: Partial<Invocation> = {}): Invocation => ({
  function: 'score:live',
  payload: Buffer.from('{"amount":7}'),
  context: { idempotencyKey: 'k-1' },
  ms: 5_000,
  ...fields,
});

const problemOf = async (invoking: Promise<unknown>): Promise<unknown> => {
  const error = await invoking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LambdaError);
  return (error as LambdaError).problem;
};

/** An error of Lambda in its REST protocol. */
const refusal = (status: number, name: string): Reply => ({
  status,
  headers: { 'x-amzn-errortype': name },
  body: { message: 'refused by the test', Message: 'refused by the test' },
});

describe('functions of Lambda through the SDK', () => {
  test('the payload, the qualifier and the client context arrive, and the result returns', async () => {
    const { server, lambdas } = await open(() => ({ body: { risk: 3 } }));
    const reply = await lambdas.invoke(invocation());
    expect('payload' in reply && JSON.parse(Buffer.from(reply.payload).toString())).toEqual({ risk: 3 });
    const [request] = server.requests;
    expect(decodeURIComponent(request?.path ?? '')).toBe('/2015-03-31/functions/score:live/invocations');
    expect(Buffer.from(request?.bytes ?? []).toString()).toBe('{"amount":7}');
    const context = Buffer.from(String(request?.headers['x-amz-client-context']), 'base64').toString();
    expect(JSON.parse(context)).toEqual({ custom: { idempotencyKey: 'k-1' } });
  });

  test('an error of the function has its type and message', async () => {
    const { lambdas } = await open(() => ({
      headers: { 'x-amz-function-error': 'Unhandled' },
      body: { errorType: 'CardError', errorMessage: 'declined', trace: [] },
    }));
    expect(await lambdas.invoke(invocation())).toEqual({ error: { type: 'CardError', message: 'declined' } });
  });

  test('an error whose type is no text is shown as JSON', async () => {
    const { lambdas } = await open(() => ({
      headers: { 'x-amz-function-error': 'Unhandled' },
      body: { errorType: { toString: 1 }, errorMessage: 'declined' },
    }));
    expect(await lambdas.invoke(invocation())).toEqual({ error: { type: '{"toString":1}', message: 'declined' } });
  });

  test.each([
    ['notFound', refusal(404, 'ResourceNotFoundException')],
    ['throttled', refusal(429, 'TooManyRequestsException')],
    ['access', refusal(403, 'AccessDeniedException')],
    ['tooLarge', refusal(413, 'RequestTooLargeException')],
    ['request', refusal(400, 'InvalidRequestContentException')],
    ['service', refusal(500, 'ServiceException')],
  ] as const)('%s has a code of its own, and the invocation is made once', async (problem, reply) => {
    const { server, lambdas } = await open(() => reply);
    expect(await problemOf(lambdas.invoke(invocation()))).toBe(problem);
    expect(server.requests).toHaveLength(1);
  });

  test('an endpoint that does not answer ends by the deadline', async () => {
    const { lambdas } = await open(() => new Promise(() => {}));
    expect(await problemOf(lambdas.invoke(invocation({ ms: 50 })))).toBe('timeout');
  });

  test('an endpoint that refuses the connection is a fault of the service', async () => {
    const { server, lambdas } = await open(() => ({}));
    await server.close();
    servers.length = 0;
    expect(await problemOf(lambdas.invoke(invocation()))).toBe('service');
  });
});
