import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { StreamingHandler } from '../../lib/adapters/local/gateway.ts';
import type { ReplyStream } from '../../lib/adapters/local/reply-stream.ts';
import { consoleReply } from '../../lib/api/console/console.ts';
import { toRequestHead } from '../../lib/api/http/request.ts';

/** The console as the gateway calls it: it replies whole, and the reply is written at once. */
export async function loadConsole(): Promise<StreamingHandler> {
  const { files } = await import('../../functions/lambdas/console.ts');
  return async (event, response) => {
    const { status, headers, body } = await consoleReply(files, toRequestHead(event as APIGatewayProxyEvent));
    (response as ReplyStream).begin({ statusCode: status, headers }).end(body);
  };
}
