import { type Frame, framesOf } from '../../../clients/api/frames.ts';
import { parseJson } from '../../../clients/api/numbers.ts';
import { onceHidden, untilVisible } from '../browser/visibility.ts';
import { type FrameOf, type OperationName, type Options, type PathOf, send } from './client.ts';
import { ApiError, isAbort, toApiError } from './errors.ts';
import { isPassing, noteAnswer, noteFailure, onceBack, trouble } from './reach.ts';
import { key, noteRefusal, onceSignedIn } from './session.ts';

/** `connecting` until the first event, then `live`; `stale` during a reconnect. */
export type StreamState = 'connecting' | 'live' | 'stale' | 'ended';

export interface StreamHandlers<T> {
  /** Called for each event, in order and once, also after a reconnect. */
  readonly onFrame: (frame: T) => void;
  readonly onState: (state: StreamState) => void;
  /** A connection was opened; one that is not resumed sends all existing values first. */
  readonly onOpen?: (isResumed: boolean) => void;
  /** The request cannot succeed: the stream ends. */
  readonly onError: (error: ApiError) => void;
}

const SHORTEST_MS = 500;
const LONGEST_MS = 15_000;
/** The service sends a heartbeat every 5 s. */
const SILENCE_MS = 20_000;

/**
 * A deployment that cannot stream ends a reply after the first event. The page then polls at this interval, which limits
 * the cost of an open page.
 */
const IN_ONE_PIECE_MS = 1000;
const AGAIN_MS = 3000;

/**
 * Streams that a page keeps open with HTTP/1.1, where a browser has six connections to a service for all its windows.
 * Further streams read the present values, close and poll, so that connections stay free for requests.
 */
const MOST_OPEN = 2;
const QUIET_MS = 300;
let openStreams = 0;

/** The protocol has any number of requests on one connection. */
const isMultiplexed = (): boolean => {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return page?.nextHopProtocol === 'h2' || page?.nextHopProtocol === 'h3';
};

/** Whether the same request would fail again, also with another key. */
const isFinal = (failure: ApiError): boolean =>
  failure.status >= 400 && failure.status < 500 && failure.status !== 401 && !isPassing(failure);

/** gRPC codes of the errors inside a stream, as HTTP statuses. */
const STATUS_OF_GRPC: Readonly<Record<number, number>> = { 3: 400, 5: 404, 7: 403, 16: 401, 50: 404 };

function failureIn({ data }: Frame): ApiError {
  const { Code = 0, Message = data } = JSON.parse(data) as { readonly Code?: number; readonly Message?: string };
  return new ApiError(STATUS_OF_GRPC[Code] ?? 500, Code === 50 ? 'it was deleted' : Message);
}

/**
 * Streams an operation. After an error it reconnects with the id of the last event and exponential backoff. Returns the
 * function that closes the stream.
 */
export function follow<Id extends OperationName>(
  id: Id,
  path: PathOf<Id>,
  { query }: Pick<Options<Id>, 'query'>,
  handlers: StreamHandlers<FrameOf<Id>>,
): () => void {
  const named = query === undefined ? {} : { query };
  const open: Open = (headers, signal) => send(id, path, { ...named, headers, signal });
  const connection = new Connection(open, handlers);
  void connection.run();
  return () => connection.close();
}

/** Sends the request of a stream. Throws WeftError, and what `fetch` throws. */
type Open = (headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>;

class Connection<T> {
  readonly #open: Open;
  readonly #handlers: StreamHandlers<T>;
  readonly #closing = new AbortController();
  #lastId: string | undefined;
  #delay = SHORTEST_MS;
  /** It counts as an open stream. */
  #isCounted = false;

  constructor(open: Open, handlers: StreamHandlers<T>) {
    this.#open = open;
    this.#handlers = handlers;
  }

  /** Frees its place for the streams of the next page at once, although its request may still be in progress. */
  close(): void {
    this.#release();
    this.#closing.abort();
  }

  #release(): void {
    if (this.#isCounted) openStreams -= 1;
    this.#isCounted = false;
  }

  async run(): Promise<void> {
    this.#handlers.onState('connecting');
    while (!this.#closing.signal.aborted) {
      await untilVisible();
      await new Promise<void>((resolve) => onceSignedIn(resolve));
      if (this.#closing.signal.aborted) return;
      const sentWith = key.peek();
      try {
        await this.#read();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        if (!this.#goesOnAfter(toApiError(error), sentWith)) return;
      }
      await this.#rest();
    }
  }

  /** Reports the error; false if the stream must not reconnect. */
  #goesOnAfter(failure: ApiError, sentWith: string | undefined): boolean {
    noteFailure(failure);
    if (!isFinal(failure)) {
      this.#handlers.onState('stale');
      if (failure.status === 401) noteRefusal(sentWith, failure.message);
      return true;
    }
    this.#handlers.onState('ended');
    this.#handlers.onError(failure);
    return false;
  }

  /**
   * Waits before the next connection, with jitter: longer if the service asked clients to wait, shorter if it replies
   * again.
   */
  #rest(): Promise<void> {
    const delay = this.#delay / 2 + Math.random() * (this.#delay / 2);
    this.#delay = Math.min(this.#delay * 2, LONGEST_MS);
    const alone = (trouble.peek()?.until ?? 0) - Date.now();
    const { signal } = this.#closing;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        forget();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.max(delay, alone));
      const forget = onceBack(end);
      signal.addEventListener('abort', end);
    });
  }

  async #read(): Promise<void> {
    const isBrief = openStreams >= MOST_OPEN && !isMultiplexed();
    if (isBrief) return this.#receive(true);
    openStreams += 1;
    this.#isCounted = true;
    try {
      await this.#receive(false);
    } finally {
      this.#release();
    }
  }

  async #receive(isBrief: boolean): Promise<void> {
    const last = this.#lastId === undefined ? {} : { 'Last-Event-ID': this.#lastId };
    const silence = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    let isHidden = false;
    const stopWatching = onceHidden(() => {
      isHidden = true;
      silence.abort();
    });
    let isRead = false;
    try {
      const response = await this.#open({ Accept: 'text/event-stream', ...last }, signal);
      noteAnswer();
      this.#handlers.onOpen?.(this.#lastId !== undefined);
      const begun = performance.now();
      for await (const frames of framesOf(response)) {
        clearTimeout(timer);
        for (const frame of frames) {
          this.#take(frame);
          isRead = isBrief;
        }
        timer = setTimeout(() => silence.abort(), isRead ? QUIET_MS : SILENCE_MS);
      }
      if (performance.now() - begun < IN_ONE_PIECE_MS) this.#delay = AGAIN_MS;
    } catch (error) {
      if (!isAbort(error) || !silence.signal.aborted) throw error;
      if (isHidden) {
        this.#handlers.onState('stale');
      } else if (isRead) {
        this.#delay = AGAIN_MS;
      } else {
        throw new ApiError(0, 'the connection fell silent');
      }
    } finally {
      clearTimeout(timer);
      stopWatching();
    }
  }

  #take(frame: Frame): void {
    if (frame.event === 'error') throw failureIn(frame);
    this.#handlers.onState('live');
    // A heartbeat is empty.
    if (frame.data === '') return;
    this.#delay = SHORTEST_MS;
    this.#lastId = frame.id;
    this.#handlers.onFrame(parseJson(frame.data) as T);
  }
}
