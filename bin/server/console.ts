import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { StreamingHandler } from '../../lib/adapters/local/gateway.ts';
import type { ReplyStream } from '../../lib/adapters/local/reply-stream.ts';

/** The console's function as the gateway calls it: it replies whole, and the reply is written at once. */
export async function loadConsole(): Promise<StreamingHandler> {
  const { handler } = await import('../../functions/lambdas/console.ts');
  return async (event, response) => {
    const { statusCode, headers = {}, body } = await handler(event as APIGatewayProxyEvent);
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    (response as ReplyStream).begin({ statusCode, headers: texts }).end(Buffer.from(body, 'base64'));
  };
}
