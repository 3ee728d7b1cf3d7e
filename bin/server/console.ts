import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { StreamingHandler } from '../../lib/adapters/local/gateway.ts';

/** The console's function as the gateway calls it: it replies whole, and the reply is written at once. */
export async function loadConsole(): Promise<StreamingHandler> {
  const { handler } = await import('../../functions/http/console.ts');
  return async (event, response) => {
    const { statusCode, headers, body } = await handler(event as APIGatewayProxyEvent);
    awslambda.HttpResponseStream.from(response, { statusCode, headers }).end(Buffer.from(body, 'base64'));
  };
}
