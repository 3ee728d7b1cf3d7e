import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Guard } from '../../adapters/portable/web.ts';
import { UnreachableError } from '../../ports/web.ts';

export interface Message {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | Readable;
}

/** Something that passes by itself: a server is too busy, or is not there. */
export class Passing extends Error {}

/** A registry that says nothing for so long is not there, milliseconds; one that takes in a large layer is slow. */
const LONGEST_SILENCE_MS = 180_000;

/** What the name service says of a name that nobody has; of its own troubles it says something else. */
const UNKNOWN_NAME = 'ENOTFOUND';

/** A body that is longer than any manifest or refusal of a registry. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Sends a request and answers as soon as the head of the answer is there. @throws UnreachableError, Passing */
export async function send(guard: Guard, url: URL, message: Message): Promise<IncomingMessage> {
  if (!/^https?:$/.test(url.protocol)) throw new UnreachableError(`'${url}' is no address of the web`);
  guard.check(url);
  try {
    return await exchange(guard, url, message);
  } catch (error) {
    if (error instanceof UnreachableError) throw error;
    const { code, message: words } = error as NodeJS.ErrnoException;
    const problem = `'${url.host}' cannot be reached: ${code ?? words}`;
    throw code === UNKNOWN_NAME ? new UnreachableError(problem) : new Passing(problem, { cause: error });
  }
}

function exchange({ lookup }: Guard, url: URL, { method, headers = {}, body }: Message): Promise<IncomingMessage> {
  const open = url.protocol === 'https:' ? requestSecure : requestPlain;
  const length = body instanceof Uint8Array ? { 'content-length': String(body.length) } : {};
  return new Promise((resolve, reject) => {
    const request = open(url, { method, headers: { ...headers, ...length }, lookup, agent: false });
    request.setTimeout(LONGEST_SILENCE_MS, () => request.destroy(new Error('it did not answer in time')));
    request.once('response', resolve);
    // More than one may come, the later ones when nobody waits any more.
    request.on('error', reject);
    if (body === undefined || body instanceof Uint8Array) request.end(body);
    // What breaks off on its way in breaks off the request.
    else pipeline(body, request).catch(reject);
  });
}

/** The whole body of an answer that is no layer. @throws Passing when it breaks off or is too long. */
export async function bytesOf(answer: IncomingMessage, most = MOST_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > most) break;
    }
  } catch (error) {
    throw new Passing('an answer broke off', { cause: error });
  }
  if (size > most) throw new Passing(`an answer is longer than ${most} bytes`);
  return Buffer.concat(chunks);
}
