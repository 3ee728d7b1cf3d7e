import type { Writable } from 'node:stream';

/** A message with its body: the head is JSON, the body bytes. */
export interface Frame<Head> {
  readonly head: Head;
  readonly body: Buffer;
}

/** A frame begins with the lengths of its head and its body. */
const HEAD_LENGTH_BYTES = 4;
const BODY_LENGTH_BYTES = 6;
const PREFIX_BYTES = HEAD_LENGTH_BYTES + BODY_LENGTH_BYTES;

function encodeHead(head: object, body: Uint8Array | undefined): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(text.length, 0);
  prefix.writeUIntBE(body?.length ?? 0, HEAD_LENGTH_BYTES, BODY_LENGTH_BYTES);
  return Buffer.concat([prefix, text]);
}

/** Writes one frame. The stream buffers what the other side has not read. */
export function writeFrame(stream: Writable, head: object, body?: Uint8Array): void {
  stream.write(encodeHead(head, body));
  if (body !== undefined && body.length > 0) stream.write(body);
}

/** One frame as bytes. */
export function frameOf(head: object, body?: Uint8Array): Buffer {
  return Buffer.concat([encodeHead(head, body), body ?? Buffer.alloc(0)]);
}

/** Decodes frames from the chunks of a stream. */
export class FrameReader<Head> {
  #chunks: Buffer[] = [];
  #buffered = 0;
  #needed = PREFIX_BYTES;

  /** The frames that the chunk completes. */
  push(chunk: Buffer): Frame<Head>[] {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    const frames: Frame<Head>[] = [];
    while (this.#buffered >= this.#needed) {
      // Chunks are joined when the lengths of a frame have arrived, and again when the whole frame has arrived. So a
      // large body is copied at most twice, and a chunk with many frames is not copied once for each frame.
      const [first = Buffer.alloc(0), ...more] = this.#chunks;
      const all = more.length === 0 ? first : Buffer.concat(this.#chunks);
      const bodyAt = PREFIX_BYTES + all.readUInt32BE(0);
      const end = bodyAt + all.readUIntBE(HEAD_LENGTH_BYTES, BODY_LENGTH_BYTES);
      if (all.length < end) {
        this.#keep(all, end);
        break;
      }
      frames.push({ head: JSON.parse(all.toString('utf8', PREFIX_BYTES, bodyAt)), body: all.subarray(bodyAt, end) });
      this.#keep(all.subarray(end), PREFIX_BYTES);
    }
    return frames;
  }

  #keep(rest: Buffer, needed: number): void {
    this.#chunks = [rest];
    this.#buffered = rest.length;
    this.#needed = needed;
  }
}
