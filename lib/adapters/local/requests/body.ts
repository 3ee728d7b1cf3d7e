import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Arrivals } from './arrivals.ts';
import { Chunks } from './chunks.ts';
import { Door } from './door.ts';
import { holdReading } from './held-reading.ts';
import { isSlowToParse } from './readings.ts';
import { RequestError } from './refusal.ts';
import { Shares } from './shares.ts';

/** The limits of requests and their bodies. */
export interface RequestLimits {
  /** Requests of one key at the same time, with those that wait or stream. */
  readonly requestsPerKey: number;
  /** Bytes of bodies that are held at the same time, in total and for one key. */
  readonly bodyBytes: number;
  readonly bodyBytesPerKey: number;
  /** After this time, milliseconds, the rest of a body must arrive at `bytesPerSecond`. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
  /** The rest of a body that is not read is dropped until it pauses for this time, milliseconds. */
  readonly lingerMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: RequestLimits = {
  requestsPerKey: 2_000,
  bodyBytes: 512 * MIB,
  bodyBytesPerKey: 256 * MIB,
  graceMs: 30_000,
  bytesPerSecond: 8 * 1024,
  lingerMs: 30_000,
};

/** The most lingering times for which the rest of a body that is not read is dropped. */
const MAX_LINGERS = 10;

/** The time for the reply to a body that takes long to parse, before its connection is closed, milliseconds. */
const SHORT_LINGER_MS = 500;

/** The number of addresses without a key that can hold all bytes that such addresses have together. */
const STRANGERS = 4;

/** To parse a chunk takes about as long as to copy this many bytes. */
const CHUNK_BYTES = 4096;
/** A body in more chunks than this has at least `MIN_AVERAGE` bytes in a chunk on average. */
const FEW_CHUNKS = 1000;
const MIN_AVERAGE = 16;
/** A body that costs more bytes arrives in turns. */
const LARGE_BYTES = 128 * 1024;
/** About how much of a body arrives before it is paused again. */
const PART_BYTES = 256 * 1024;

/** The limits and the shares of all requests. */
export class RequestShares {
  readonly limits: RequestLimits;
  readonly requests: Shares;
  readonly bytes: Shares;
  readonly arrivals = new Arrivals();
  readonly door = new Door();
  /** The shares of addresses without a key in the bytes that they have together. */
  readonly bytesOfStrangers: Shares;

  constructor(limits: RequestLimits) {
    this.limits = limits;
    const { bodyBytesPerKey: total } = limits;
    this.bytesOfStrangers = new Shares({ total, perHolder: total / STRANGERS });
    this.requests = new Shares({ total: Number.POSITIVE_INFINITY, perHolder: limits.requestsPerKey });
    this.bytes = new Shares({ total: limits.bodyBytes, perHolder: limits.bodyBytesPerKey });
  }
}

/** The body of a request, which is read only after its key was checked. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #shares: RequestShares;

  constructor(request: IncomingMessage, response: ServerResponse, shares: RequestShares) {
    this.#request = request;
    this.#response = response;
    this.#shares = shares;
  }

  /** Whether the whole request has arrived. */
  get isComplete(): boolean {
    return this.#request.complete;
  }

  /** Undefined if work for a tenant may begin at once; else resolves when it may. Without a tenant, the address is it. */
  enter(tenant: string): Promise<void> | undefined {
    return this.#shares.door.enter(tenant === '' ? this.#stranger : tenant);
  }

  get #stranger(): string {
    return `without a key: ${this.#request.socket.remoteAddress ?? ''}`;
  }

  /**
   * Reads the body within the share of a key, until the reply has left; without a key, within that of the address, so that no
   * address keeps others from routes that need no key, such as webhooks. Throws RequestError for a body that is longer
   * than `most` bytes, comes too slowly or exceeds the limits, and for too many requests of the key.
   */
  async read(key: string, most: number): Promise<Buffer> {
    const { requests, bytes, bytesOfStrangers, limits } = this.#shares;
    const address = key === '' ? (this.#request.socket.remoteAddress ?? '') : undefined;
    const holder = address === undefined ? key : this.#stranger;
    if (!requests.take(holder, 1)) {
      const whose = address === undefined ? 'this key' : 'this address';
      throw new RequestError('too-many', `${limits.requestsPerKey} requests of ${whose} are open; try again later`, 1);
    }
    let length = 0;
    this.#response.once('close', () => {
      requests.give(holder, 1);
      bytes.give(key, length);
      if (address !== undefined) bytesOfStrangers.give(address, length);
    });
    if (Number(this.#request.headers['content-length'] ?? 0) > most) throw tooLarge(most);
    const chunks = new Chunks();
    const take = (chunk: Buffer): void => {
      if (length + chunk.length > most) throw tooLarge(most);
      if (address !== undefined && !bytesOfStrangers.take(address, chunk.length)) throw tooManyHeld();
      if (!bytes.take(key, chunk.length)) {
        if (address !== undefined) bytesOfStrangers.give(address, chunk.length);
        throw tooManyHeld();
      }
      length += chunk.length;
      chunks.add(chunk);
    };
    if (this.#request.complete) this.#takeReceived(take);
    else await this.#receive(take, holder);
    if (length > LARGE_BYTES) await this.#shares.arrivals.wait(holder, length);
    return chunks.join();
  }

  /** Passes on a body that has arrived already, as most small ones have. */
  #takeReceived(take: (chunk: Buffer) => void): void {
    const body = this.#request.read() as Buffer | null;
    if (body !== null) take(body);
  }

  /**
   * Passes on the chunks as they arrive, in turns with other connections, or the error when they are too small or `take`
   * throws. Returns the function that stops it.
   */
  #flow(take: (chunk: Buffer) => void, onError: (error: unknown) => void, holder: string): () => void {
    const request = this.#request;
    const { arrivals } = this.#shares;
    const check = checkSize();
    let received = 0;
    const onData = (chunk: Buffer) => {
      try {
        check(chunk);
        take(chunk);
      } catch (error) {
        stop();
        onError(error);
        return;
      }
      const cost = chunk.length + CHUNK_BYTES;
      received += cost;
      if (received <= LARGE_BYTES || arrivals.take(cost)) return;
      request.pause();
      const release = holdReading(request.socket);
      void arrivals.wait(holder, PART_BYTES).then(() => {
        // What was parsed before the pause comes first, and may use up this turn too.
        release();
        request.resume();
      });
    };
    const stop = () => void request.off('data', onData).pause();
    request.on('data', onData).resume();
    return stop;
  }

  /** Passes on the chunks until the end of the body. Rejects with what `take` throws, and for a body that is too slow. */
  #receive(take: (chunk: Buffer) => void, holder: string): Promise<void> {
    const request = this.#request;
    const { graceMs, bytesPerSecond } = this.#shares.limits;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const began = performance.now();
    let received = 0;
    const count = (chunk: Buffer) => {
      received += chunk.length;
      take(chunk);
    };
    const stop = this.#flow(count, reject, holder);
    // A request is closed after its end too.
    const onClose = () => {
      if (request.readableEnded) return;
      reject(new RequestError('malformed', 'the connection was closed before the end of the body'));
    };
    const timer = setInterval(() => {
      const seconds = (performance.now() - began - graceMs) / 1000;
      if (received >= seconds * bytesPerSecond) return;
      reject(new RequestError('too-slow', `the body comes too slowly: less than ${bytesPerSecond} bytes a second`));
    }, graceMs / 10);
    request.once('end', resolve).once('close', onClose).once('error', onClose);
    return promise.finally(() => {
      clearInterval(timer);
      request.off('end', resolve).off('close', onClose).off('error', onClose);
      stop();
    });
  }

  /**
   * Drops the rest of the body until it ends or pauses. A connection that closes with unread data is reset, and a client
   * that is still sending gets the reset instead of the reply. No more is read of a body that takes long to parse: its client
   * has a moment for the reply.
   */
  async drop(): Promise<void> {
    const { lingerMs } = this.#shares.limits;
    const { socket } = this.#request;
    if (isSlowToParse(socket)) {
      holdReading(socket);
      await sleep(SHORT_LINGER_MS);
      return;
    }
    const giveUp = new AbortController();
    const abort = () => giveUp.abort();
    this.#request.setTimeout(lingerMs, abort);
    const late = setTimeout(abort, lingerMs * MAX_LINGERS);
    this.#flow(
      () => undefined,
      () => socket.destroy(),
      this.#stranger,
    );
    // The client may close the connection instead.
    await finished(this.#request, { signal: giveUp.signal }).catch(() => undefined);
    clearTimeout(late);
  }
}

/** Returns the function that throws RequestError for the chunk by which the chunks of a body are many and too small. */
function checkSize(): (chunk: Buffer) => void {
  let [chunks, bytes] = [0, 0];
  return ({ length }) => {
    chunks += 1;
    bytes += length;
    if (chunks <= FEW_CHUNKS || bytes >= chunks * MIN_AVERAGE) return;
    throw new RequestError(
      'malformed',
      `the body comes in ${chunks} chunks of less than ${MIN_AVERAGE} bytes on average; send larger chunks`,
    );
  };
}

const tooManyHeld = (): RequestError =>
  new RequestError('unavailable', 'too many bytes of request bodies are held; try again later', 1);

const tooLarge = (most: number): RequestError =>
  new RequestError('too-large', `request payload too large: at most ${most} bytes`);
