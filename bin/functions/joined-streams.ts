// Replaces the package duplexify in bundles by a class over Node's own streams, with what the encryption library uses of it.
import { Duplex, type Readable, type Writable } from 'node:stream';

type Done = (error?: Error | null) => void;

/** One stream of a writable and a readable one, each of which may be set later: until then, writes wait. */
// biome-ignore lint/style/noDefaultExport: the package has one
export default class JoinedStream extends Duplex {
  #writable: Writable | undefined;
  #readable: Readable | undefined;
  #isRead = false;
  #waiting: ((writable: Writable) => void)[] = [];

  constructor(writable?: Writable, readable?: Readable) {
    super();
    if (writable !== undefined) this.setWritable(writable);
    if (readable !== undefined) this.setReadable(readable);
  }

  setWritable(writable: Writable): void {
    this.#writable = writable;
    writable.on('error', (error) => this.destroy(error));
    for (const write of this.#waiting.splice(0)) write(writable);
  }

  setReadable(readable: Readable): void {
    this.#readable = readable;
    readable.on('readable', () => this.#forward());
    readable.on('end', () => this.push(null));
    readable.on('error', (error) => this.destroy(error));
  }

  override _write(chunk: unknown, encoding: BufferEncoding, done: Done): void {
    this.#withWritable((writable) => writable.write(chunk, encoding, done));
  }

  override _final(done: Done): void {
    this.#withWritable((writable) => writable.end(done));
  }

  override _read(): void {
    this.#isRead = true;
    this.#forward();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#writable?.destroy();
    this.#readable?.destroy();
    done(error);
  }

  #withWritable(write: (writable: Writable) => void): void {
    if (this.#writable === undefined) this.#waiting.push(write);
    else write(this.#writable);
  }

  #forward(): void {
    while (this.#isRead) {
      const chunk: unknown = this.#readable?.read() ?? null;
      if (chunk === null) return;
      this.#isRead = this.push(chunk);
    }
  }
}
