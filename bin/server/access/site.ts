import type { StreamingHandler } from '../../../lib/adapters/local/gateway.ts';
import type { ReplyStream } from '../../../lib/adapters/local/reply-stream.ts';
import { type ConsoleFiles, openFiles } from '../../../lib/api/console/files.ts';
import { siteReply } from '../../../lib/api/console/site.ts';
import { type RequestEvent, toRequestHead } from '../../../lib/api/http/request.ts';
import { prepareSite } from '../../site/preparation.ts';

async function openSite(): Promise<ConsoleFiles | undefined> {
  const folder = await prepareSite();
  return folder === undefined ? undefined : openFiles(folder);
}

/**
 * The documentation as the gateway calls it. Its pages are made at the first request for one, so that no start waits for
 * them. It needs no key, so each request has the turn of its address.
 */
export function siteHandler(): StreamingHandler {
  let files: Promise<ConsoleFiles | undefined> | undefined;
  return async (event, response) => {
    const received = event as RequestEvent;
    await received.enter?.('');
    files ??= openSite();
    const { status, headers, body } = await siteReply(await files, toRequestHead(received));
    (response as ReplyStream).begin({ statusCode: status, headers }).end(body);
  };
}
