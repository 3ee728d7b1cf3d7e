import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { StreamingHandler } from '../../lib/adapters/local/gateway.ts';
import type { ReplyStream } from '../../lib/adapters/local/reply-stream.ts';

/** The console's function as the gateway calls it: it replies whole, and the reply is written at once. */
export async function loadConsole(): Promise<StreamingHandler> {
  const { handler } = await import('../../functions/lambdas/console.ts');
  return async (event, response) => {
    const { statusCode, headers, body } = await handler(event as APIGatewayProxyEvent);
    (response as ReplyStream).begin({ statusCode, headers }).end(Buffer.from(body, 'base64'));
  };
}
