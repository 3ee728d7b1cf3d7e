import { request } from 'node:http';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface RawOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * The timeout of a request, with an error that names the request: shorter than the timeout of a test, longer than any
 * reply on a busy machine.
 */
const MAX_REPLY_MS = 50_000;

/** A service may have a base path, such as the stage of API Gateway. */
const below = (base: string, path: string): string => `${base.replace(/\/$/, '')}${path}`;

/**
 * Sends a request whose path is sent unchanged; fetch would normalize its dots, slashes and escapes. Of an event
 * stream, which does not end, the reply is its first part.
 */
export function sendRaw(url: string, method: string, path: string, options: RawOptions = {}): Promise<RawAnswer> {
  const { hostname, port, pathname } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const { headers = {}, body } = options;
  // Without a length, the server cannot detect the end of a GET with a body.
  const isSized = body !== undefined && headers['Transfer-Encoding'] === undefined;
  const length = isSized ? { 'Content-Length': String(Buffer.byteLength(body)) } : {};
  const outgoing = request(
    { hostname, port, method, path: below(pathname, path), headers: { ...headers, ...length, Connection: 'close' } },
    (incoming) => {
      const chunks: Buffer[] = [];
      const answer = () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      };
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (incoming.headers['content-type'] !== 'text/event-stream') return;
        answer();
        incoming.destroy();
      });
      incoming.on('error', reject);
      incoming.on('end', answer);
    },
  );
  const late = () => outgoing.destroy(new Error(`no complete answer to ${method} ${path.slice(0, 200)}`));
  const timer = setTimeout(late, MAX_REPLY_MS);
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise.finally(() => clearTimeout(timer));
}
