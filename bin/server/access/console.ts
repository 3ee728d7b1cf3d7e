import type { StreamingHandler } from '../../../lib/adapters/local/gateway.ts';
import type { ReplyStream } from '../../../lib/adapters/local/reply-stream.ts';
import { type Beside, consoleReply } from '../../../lib/api/console/console.ts';
import { type RequestEvent, toRequestHead } from '../../../lib/api/http/request.ts';
import { prepareConsole } from '../../console/preparation.ts';
import type { SignInLinks } from './sign-in.ts';

/** Builds the console if necessary, and returns whether it is there. The service works without it. */
export async function isConsoleReady(): Promise<boolean> {
  try {
    await prepareConsole();
    return true;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    console.error(`Weft starts without its console, which cannot be built: ${reason}`);
    return false;
  }
}

/**
 * The console as the gateway calls it: it replies whole, and the reply is written at once. It needs no key, so each request
 * has the turn of its address.
 */
export async function loadConsole(links: SignInLinks, beside: readonly Beside[]): Promise<StreamingHandler> {
  const { files } = await import('../../../functions/lambdas/console.ts');
  return async (event, response) => {
    const received = event as RequestEvent;
    await received.enter?.('');
    const head = toRequestHead(received);
    const { status, headers, body } = (await links.replyTo(head)) ?? (await consoleReply(files, head, beside));
    (response as ReplyStream).begin({ statusCode: status, headers }).end(body);
  };
}
