import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { unreachable } from './problems.ts';

/** The decoders by the names of content encodings (RFC 9110, 8.4.1). */
type CreateDecoder = (source: Readable) => Transform | Promise<Transform>;
const DECODERS: ReadonlyMap<string, CreateDecoder> = new Map<string, CreateDecoder>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', inflaterFor],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress()],
]);

/** The encodings that `readBody` decodes, as the value of an `Accept-Encoding` header. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd';

/** Statuses whose responses have no body (RFC 9110, 6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** The host and the method of a request, and the most bytes of its response. */
export interface BodyOptions {
  readonly host: string;
  readonly method: string;
  readonly maxBytes: number;
}

/**
 * Reads the body of a response, decompressed, and at most `maxBytes` of it. Throws UnreachableError `tooLarge` for
 * more, also if the headers only announce more, and the error of the connection or the decoder.
 */
export async function readBody(message: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  const { host, method, maxBytes } = options;
  const tooLarge = () => unreachable(host, 'tooLarge', `a response has at most ${maxBytes} bytes`);
  if (method === 'HEAD' || BODILESS.has(message.statusCode ?? 0)) {
    message.destroy();
    return Buffer.alloc(0);
  }
  const parts: Buffer[] = [];
  let size = 0;
  try {
    if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    for await (const part of (await decoded(message)) as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxBytes) throw tooLarge();
      parts.push(part);
    }
  } finally {
    message.destroy();
  }
  return Buffer.concat(parts);
}

/** The decoded body. An encoding that is not known leaves it as it is. */
async function decoded(message: IncomingMessage): Promise<Readable> {
  const names = (message.headers['content-encoding'] ?? '').toLowerCase().split(',');
  const decoders = names.map((name) => DECODERS.get(name.trim())).filter((decoder) => decoder !== undefined);
  if (decoders.length === 0 || message.headers['content-length'] === '0') return message;
  let source: Readable = message;
  for (const create of decoders.reverse()) {
    const decoder = await create(source);
    // The error is read from the decoder; without a callback it would be thrown.
    pipeline(source, decoder, () => undefined);
    source = decoder;
  }
  return source;
}

/** The decoder of `deflate`: of zlib's format, or of raw data, which some servers send though RFC 9110 (8.4.1.2) excludes it. */
async function inflaterFor(source: Readable): Promise<Transform> {
  await Promise.race([once(source, 'readable'), once(source, 'end')]);
  const first = source.read(1) as Buffer | null;
  if (first === null) return createInflate();
  source.unshift(first);
  // The low bits of zlib's first byte are its method, 8; those of raw data would be an empty stored block.
  return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}
