import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { unreachable } from './problems.ts';

/** The decoders by the names of content encodings (RFC 9110, 8.4.1). */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
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
    for await (const part of decoded(message) as AsyncIterable<Buffer>) {
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
function decoded(message: IncomingMessage): Readable {
  const names = (message.headers['content-encoding'] ?? '').toLowerCase().split(',');
  const decoders = names.map((name) => DECODERS.get(name.trim())).filter((decoder) => decoder !== undefined);
  if (decoders.length === 0 || message.headers['content-length'] === '0') return message;
  return decoders.reverse().reduce<Readable>((source, create) => {
    const decoder = create();
    // The error is read from the decoder; without a callback it would be thrown.
    pipeline(source, decoder, () => undefined);
    return decoder;
  }, message);
}
