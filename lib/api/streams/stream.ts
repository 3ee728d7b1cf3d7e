import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { Watch } from '../../ports/changes.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Table } from '../../ports/table.ts';
import { dataFrame, errorFrame, faultFrame, GONE, HEARTBEAT } from './frames.ts';

/** How often a stream does what, milliseconds. */
export interface Pace {
  /** After so long without an event the client hears that the stream is alive (rest-api reference, 3.1). */
  readonly heartbeat: number;
  /** At latest then it looks again, whether it was told of a change or not (rest-api reference, 3.2). */
  readonly recheck: number;
  /** Between two looks: a burst of changes is one event. */
  readonly rest: number;
  /** Between a change and the look at it. */
  readonly delay: number;
}

/** Of lists that grow. */
export const PACE: Pace = { heartbeat: 5000, recheck: 60_000, rest: 50, delay: 0 };

/**
 * Of what is shown whole. Who watches a run and its log stops at the run's end: the log's last lines, which are written
 * with it, come first.
 */
export const CALM_PACE: Pace = { ...PACE, delay: 25 };

/** What a stream would show at this moment. */
export interface Shown {
  /** Of one event, or of each of several. */
  readonly json: string | readonly string[];
  /** Names what was shown, so that it need not be shown again; undefined where a stream always begins anew. */
  readonly id: string | undefined;
  readonly isNews: boolean;
  /** There may be more than fitted into this event. */
  readonly hasMore: boolean;
  /** In place of the pace's, where others than the database know of changes. */
  readonly recheck?: number;
}

/** Reads what is to be shown, through this table, to somebody who has `seen` the event of that id. */
export type Look = (table: Table, seen: string | undefined) => Promise<Shown>;

export interface StreamParts {
  readonly look: Look;
  readonly table: Table;
  readonly watch: Watch;
  readonly clock: Clock;
  readonly pace: Pace;
  /** The id of the last event that the client got before it came again. */
  readonly seen: string | undefined;
  /** When the stream ends, milliseconds since 1970; the client comes again then. */
  readonly until: number;
  /** A mistake is told by a plain reply, not by the stream's first event. */
  readonly isPlain: boolean;
  /** Notes a fault of ours, and has the words for the client. */
  readonly onFault: (error: unknown) => string;
}

/** Mistakes that the stream itself tells; others are of the request, and there is no stream to open. */
const IN_STREAM: ReadonlySet<ErrorCode> = new Set(['not-found', 'invalid', 'refused']);

/** An event stream: what a plain GET shows, now and again after each change (rest-api reference, 3). */
export class EventStream {
  readonly #parts: StreamParts;
  #seen: string | undefined;
  #isBusy = true;
  /** When it looks again after the last look, milliseconds. */
  #recheck = 0;
  #lookedAt = 0;
  #sentAt = 0;
  #isOver = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#seen = parts.seen;
  }

  /** The first event. Throws what leaves as a plain reply; the stream is closed then. */
  async open(): Promise<string> {
    try {
      const event = await this.#look();
      this.#sentAt = this.#parts.clock.now();
      return event ?? HEARTBEAT;
    } catch (error) {
      const isTold = error instanceof ServiceError && IN_STREAM.has(error.code) && !this.#parts.isPlain;
      this.close();
      if (!isTold) throw error;
      return errorFrame(error);
    }
  }

  /** The first event and those that follow, each made when the reader is ready for it: nothing heaps up. */
  toReadable(first: string): Readable {
    const events = this.#events(first);
    const body: Readable = new Readable({
      highWaterMark: 1,
      read: () => {
        const settle = ({ value, done }: IteratorResult<string, void>) => {
          if (!body.destroyed) body.push(done === true ? null : value);
        };
        events.next().then(settle, (error: Error) => body.destroy(error));
      },
      destroy: (error, done) => {
        this.close();
        done(error);
      },
    });
    return body;
  }

  /** Ends the stream's work. */
  close(): void {
    this.#isOver = true;
    this.#parts.watch.close();
  }

  async *#events(first: string): AsyncGenerator<string, void> {
    yield first;
    try {
      while (!this.#isOver && (yield* this.#untilNews())) {
        const event = await this.#look();
        if (event === undefined) continue;
        yield event;
        this.#sentAt = this.#parts.clock.now();
      }
    } catch (error) {
      // The client that left ended it.
      if (!this.#isOver) yield this.#lastWords(error);
    }
  }

  async #look(): Promise<string | undefined> {
    const { look, watch, clock, pace } = this.#parts;
    this.#lookedAt = clock.now();
    const { json, id, isNews, hasMore, recheck = pace.recheck } = await look(watch.begin(), this.#seen);
    this.#seen = id;
    this.#isBusy = isNews;
    this.#recheck = hasMore ? 0 : recheck;
    if (!isNews) return undefined;
    return [json]
      .flat()
      .map((one) => dataFrame(one, id))
      .join('');
  }

  /** Heartbeats, until it is time to look again: true; or to end: false. */
  async *#untilNews(): AsyncGenerator<string, boolean> {
    const { watch, clock, pace, until } = this.#parts;
    const recheckAt = this.#lookedAt + this.#recheck;
    for (let now = clock.now(); now < until; now = clock.now()) {
      if (now >= recheckAt) return true;
      const beatAt = this.#sentAt + pace.heartbeat;
      if (now >= beatAt) {
        yield HEARTBEAT;
        this.#sentAt = clock.now();
        continue;
      }
      const woken = await watch.next(Math.min(beatAt, recheckAt, until) - now, this.#isBusy);
      if (woken === 'changed') {
        await setTimeout(Math.max(this.#lookedAt + pace.rest - clock.now(), pace.delay));
        return true;
      }
      if (woken === 'over') return false;
    }
    return false;
  }

  #lastWords(error: unknown): string {
    if (!(error instanceof ServiceError)) return faultFrame(this.#parts.onFault(error));
    // It was there when the stream opened, so it was deleted.
    return error.code === 'not-found' ? GONE : errorFrame(error);
  }
}
