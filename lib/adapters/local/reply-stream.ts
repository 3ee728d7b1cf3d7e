import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';

/** The status and the headers of a reply. */
export interface Head {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type Done = (error?: Error | null) => void;

/** The request that a reply belongs to. */
export interface Replied {
  /** Whether the whole request has arrived. */
  readonly isComplete: boolean;
  /** Resolves when nothing more of the request needs to be received. */
  drop(): Promise<void>;
}

/**
 * A reply to a client. Each part is sent after `ready` resolves, because it may show data that a crash could still lose. A
 * reply that is written in one piece has a Content-Length, any other is chunked. A connection whose request was not read to
 * its end is closed after the reply.
 */
export class ReplyStream extends Writable {
  readonly #response: ServerResponse;
  readonly #request: Replied;
  readonly #ready: () => Promise<void>;
  #head: Head = { statusCode: 200 };

  constructor(response: ServerResponse, request: Replied, ready: () => Promise<void>) {
    super({ decodeStrings: true });
    this.#response = response;
    this.#request = request;
    this.#ready = ready;
    response.once('close', () => this.destroy());
  }

  /** Sets the status and the headers, before the first write. */
  begin(head: Head): this {
    this.#head = head;
    return this;
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    if (chunk.length === 0) done();
    else this.#ready().then(() => this.#send(chunk, done), done);
  }

  override _final(done: Done): void {
    if (this.#response.writableEnded) done();
    else this.#ready().then(() => this.#end(undefined, done), done);
  }

  #send(chunk: Buffer, done: Done): void {
    const isWhole = !this.#response.headersSent && this.writableEnded && this.writableLength === chunk.length;
    if (isWhole) {
      this.#end(chunk, done);
      return;
    }
    if (!this.#response.headersSent) this.#response.writeHead(this.#head.statusCode, this.#head.headers);
    this.#response.write(chunk, done);
  }

  #end(chunk: Buffer | undefined, done: Done): void {
    const response = this.#response;
    const { statusCode, headers } = this.#head;
    const { isComplete } = this.#request;
    if (!response.headersSent) {
      const closing = isComplete ? {} : { Connection: 'close' };
      response.writeHead(statusCode, { ...headers, ...closing, 'Content-Length': chunk?.length ?? 0 });
    }
    if (isComplete) {
      response.end(chunk, () => done());
      return;
    }
    if (chunk === undefined) response.flushHeaders();
    else response.write(chunk);
    this.#request.drop().then(() => response.end(() => done()), done);
  }
}
