import { Readable } from 'node:stream';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { Watch } from '../../ports/changes.ts';
import type { Clock } from '../../ports/clock.ts';
import { dataFrame, errorFrame, faultFrame, GONE, HEARTBEAT } from './frames.ts';

/** When a stream polls and sends heartbeats, in milliseconds. */
export interface PollIntervals {
  /** A heartbeat is sent after this time without an event (rest-api reference, 3.1). */
  readonly heartbeat: number;
  /** The longest time between two polls, if no change is reported (rest-api reference, 3.2). */
  readonly longest: number;
  /** The shortest time between two polls: a burst of changes is one event. */
  readonly shortest: number;
  /** The time from a reported change to the poll. */
  readonly delay: number;
}

/** For lists that only grow. */
export const LIST_INTERVALS: PollIntervals = { heartbeat: 5000, longest: 60_000, shortest: 50, delay: 0 };

/**
 * For replies that are sent whole. A client that watches a run and its log stops at the end of the run: the delay lets the
 * last log lines, which are written together with it, arrive first.
 */
export const SNAPSHOT_INTERVALS: PollIntervals = { ...LIST_INTERVALS, delay: 25 };

/** The result of one poll. */
export interface PollResult {
  /** The JSON of one event, or of each of several. */
  readonly json: string | readonly string[];
  /** The event id, from which a reconnected client continues; undefined if it starts from the beginning. */
  readonly id: string | undefined;
  /** There is something to send, unless its id is that of the last event. */
  readonly hasChanged: boolean;
  /** There may be more than this event holds: the next poll follows at once. */
  readonly hasMore: boolean;
  /** The longest time to the next poll, in milliseconds; else that of the intervals. */
  readonly pollInterval?: number;
}

/** Reads, after a delay in milliseconds, the changes since the event with this id. What is read, the watch watches. */
export type Poll = (watch: Watch, lastEventId: string | undefined, delay: number) => Promise<PollResult>;

/** The options of an event stream. */
export interface StreamOptions {
  readonly poll: Poll;
  readonly watch: Watch;
  readonly clock: Clock;
  readonly intervals: PollIntervals;
  /** The id of the last event that the client received before it reconnected. */
  readonly lastEventId: string | undefined;
  /** When the stream ends, in milliseconds since 1970; the client reconnects then. */
  readonly deadline: number;
  /** A first poll that fails is thrown, for a plain reply, and never sent as an event. */
  readonly hasPlainErrors: boolean;
  /** Logs a fault of the service, and returns the message for the client. */
  readonly onFault: (error: unknown) => string;
  /** Called when the stream ends, before its reply does. */
  readonly onEnd: () => Promise<void>;
}

/** By result, which several streams may share: its frames. */
const made = new WeakMap<PollResult, Buffer>();

function framesOf(result: PollResult): Buffer {
  const { json, id } = result;
  const frames =
    made.get(result) ??
    Buffer.from(
      [json]
        .flat()
        .map((one) => dataFrame(one, id))
        .join(''),
    );
  made.set(result, frames);
  return frames;
}

/** Errors that are sent in the stream. Others concern the request, so that no stream is opened. */
const IN_STREAM: ReadonlySet<ErrorCode> = new Set(['not-found', 'invalid', 'refused']);

/** An event stream: the reply of a plain GET, and a new one after each change (rest-api reference, 3). */
export class EventStream {
  readonly #options: StreamOptions;
  #lastEventId: string | undefined;
  /** The last poll found a change. */
  #isBusy = true;
  /** The longest time from the last poll to the next, in milliseconds. */
  #pollInterval = 0;
  #polledAt = 0;
  #sentAt = 0;
  #isClosed = false;
  #ended: Promise<void> | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#lastEventId = options.lastEventId;
  }

  /** Returns the first event. Throws an error for a plain reply, after the stream was closed. */
  async open(): Promise<string> {
    try {
      const event = await this.#poll(0);
      this.#sentAt = this.#options.clock.now();
      return event?.toString() ?? HEARTBEAT;
    } catch (error) {
      const isEvent = error instanceof ServiceError && IN_STREAM.has(error.code) && !this.#options.hasPlainErrors;
      this.close();
      if (isEvent) return errorFrame(error);
      await this.end();
      throw error;
    }
  }

  /** The first event and all that follow. Each is made when the reader is ready for it, so that none are buffered. */
  toReadable(first: string): Readable {
    const events = this.#events(first);
    const body: Readable = new Readable({
      highWaterMark: 1,
      read: () => {
        const push = ({ value, done }: IteratorResult<string | Buffer, void>) => {
          if (!body.destroyed) body.push(done === true ? null : value);
        };
        events.next().then(push, (error: Error) => body.destroy(error));
      },
      destroy: (error, done) => {
        this.end().then(() => done(error), done);
      },
    });
    return body;
  }

  /** Ends the polling. */
  close(): void {
    this.#isClosed = true;
    this.#options.watch.close();
  }

  /** Ends the polling, and releases the resources of the stream. Idempotent. */
  async end(): Promise<void> {
    this.close();
    this.#ended ??= this.#options.onEnd();
    await this.#ended;
  }

  async *#events(first: string): AsyncGenerator<string | Buffer, void> {
    yield first;
    try {
      while (!this.#isClosed) {
        const delay = yield* this.#untilPoll();
        if (delay === undefined) break;
        const event = await this.#poll(delay);
        if (event === undefined) continue;
        yield event;
        this.#sentAt = this.#options.clock.now();
      }
    } catch (error) {
      // A client that disconnects closes the stream, which may interrupt a poll.
      if (!this.#isClosed) yield this.#toLastFrame(error);
    }
    await this.end();
  }

  async #poll(delay: number): Promise<Buffer | undefined> {
    const { poll, watch, clock, intervals } = this.#options;
    this.#polledAt = clock.now() + delay;
    const result = await poll(watch, this.#lastEventId, delay);
    const { id, hasMore, pollInterval = intervals.longest } = result;
    const hasChanged = result.hasChanged && (id === undefined || id !== this.#lastEventId);
    this.#lastEventId = id;
    this.#isBusy = hasChanged;
    this.#pollInterval = hasMore ? 0 : pollInterval;
    return hasChanged ? framesOf(result) : undefined;
  }

  /** Yields heartbeats. Returns after how many milliseconds to poll; undefined when the stream ends. */
  async *#untilPoll(): AsyncGenerator<string, number | undefined> {
    const { watch, clock, intervals, deadline } = this.#options;
    const pollAt = this.#polledAt + this.#pollInterval;
    for (let now = clock.now(); now < deadline; now = clock.now()) {
      if (now >= pollAt) return 0;
      const heartbeatAt = this.#sentAt + intervals.heartbeat;
      if (now >= heartbeatAt) {
        yield HEARTBEAT;
        this.#sentAt = clock.now();
        continue;
      }
      const woken = await watch.next(Math.min(heartbeatAt, pollAt, deadline) - now, this.#isBusy);
      if (woken === 'changed') return Math.max(this.#polledAt + intervals.shortest - clock.now(), intervals.delay);
      if (woken === 'over') return undefined;
    }
    return undefined;
  }

  #toLastFrame(error: unknown): string {
    if (!(error instanceof ServiceError)) return faultFrame(this.#options.onFault(error));
    // The object existed when the stream was opened, so it has been deleted.
    return error.code === 'not-found' ? GONE : errorFrame(error);
  }
}
