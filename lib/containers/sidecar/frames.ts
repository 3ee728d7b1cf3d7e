import type { Writable } from 'node:stream';

/** What the service and who stands beside a function send each other: a head as JSON, and a body of bytes. */
export interface Frame<Head> {
  readonly head: Head;
  readonly body: Buffer;
}

const HEAD_BYTES = 4;
const BODY_BYTES = 6;
const PREFIX = HEAD_BYTES + BODY_BYTES;

function headOf(head: object, body: Uint8Array | undefined): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(text.length, 0);
  prefix.writeUIntBE(body?.length ?? 0, HEAD_BYTES, BODY_BYTES);
  return Buffer.concat([prefix, text]);
}

/** Writes one frame; the stream buffers what the other side has not read. */
export function writeFrame(stream: Writable, head: object, body?: Uint8Array): void {
  stream.write(headOf(head, body));
  if (body !== undefined && body.length > 0) stream.write(body);
}

/** One frame as bytes. */
export function frameOf(head: object, body?: Uint8Array): Buffer {
  return Buffer.concat([headOf(head, body), body ?? Buffer.alloc(0)]);
}

/** Puts frames together again from the pieces in which they arrive. */
export class FrameReader<Head> {
  #chunks: Buffer[] = [];
  #held = 0;
  #needed = PREFIX;

  /** The frames that the piece completes. */
  push(chunk: Buffer): Frame<Head>[] {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    const frames: Frame<Head>[] = [];
    while (this.#held >= this.#needed) {
      // Only when a frame's sizes, and again when all of it is there: a large body is copied once or twice. A piece with
      // many frames is not copied for each.
      const [first = Buffer.alloc(0), ...more] = this.#chunks;
      const all = more.length === 0 ? first : Buffer.concat(this.#chunks);
      const bodyAt = PREFIX + all.readUInt32BE(0);
      const end = bodyAt + all.readUIntBE(HEAD_BYTES, BODY_BYTES);
      if (all.length < end) {
        this.#keep(all, end);
        break;
      }
      frames.push({ head: JSON.parse(all.toString('utf8', PREFIX, bodyAt)), body: all.subarray(bodyAt, end) });
      this.#keep(all.subarray(end), PREFIX);
    }
    return frames;
  }

  #keep(rest: Buffer, needed: number): void {
    this.#chunks = [rest];
    this.#held = rest.length;
    this.#needed = needed;
  }
}
