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

/** A request that hangs is an error that names it. This is less than the time of a test, and more than a busy machine takes. */
const MAX_REPLY_MS = 50_000;

/** A service may lie below a path of its own, as a stage of API Gateway does. */
const below = (base: string, path: string): string => `${base.replace(/\/$/, '')}${path}`;

/**
 * Sends a request whose path goes out letter by letter; fetch would tidy its dots, slashes and escapes. Of an event
 * stream, which does not end, the answer is what comes first.
 */
export function sendRaw(url: string, method: string, path: string, options: RawOptions = {}): Promise<RawAnswer> {
  const { hostname, port, pathname } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const { headers = {}, body } = options;
  // Otherwise the body of a GET would go out without an end that the server could see.
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
