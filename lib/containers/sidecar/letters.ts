import { setTimeout as sleep } from 'node:timers/promises';
import type { Continuation } from './event.ts';
import { type Frame, FrameReader } from './frames.ts';
import type { ToBeside } from './messages.ts';
import type { Look } from './storage.ts';

/** Between two looks for what is awaited: short, then ever longer, for whoever was to answer may be gone. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;
const GROWTH = 1.2;
const MOST_TRIES = 5;

type Message = ToBeside | Continuation;

/** Fetches what is there already. Throws when it cannot be had. */
export async function fetchLetter(look: Look, url: string, signal: AbortSignal): Promise<Buffer> {
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const bytes = await look(url, signal);
    if (bytes !== undefined) return bytes;
    await sleep(FIRST_PAUSE_MS * 2 ** tries, undefined, { signal });
  }
  throw new Error('the storage does not answer');
}

/** Resolves when there is something at an address; looks every so many milliseconds. Throws at the signal. */
export async function appears(look: Look, url: string, pauseMs: number, signal: AbortSignal): Promise<void> {
  do await sleep(pauseMs, undefined, { signal });
  while ((await look(url, signal)) === undefined);
}

export function framesIn(bytes: Buffer): Frame<Message>[] {
  return new FrameReader<Message>().push(bytes);
}

export interface Reader {
  /** Whether there is anything to wait for. */
  readonly isAwaited: () => boolean;
  readonly take: (message: ToBeside, body: Buffer) => void;
  /** Nothing was there yet. */
  readonly miss: () => void;
}

/** Reads the messages of the service one after the other, as long as one is awaited. */
export class Letters {
  readonly #look: Look;
  readonly #signal: AbortSignal;
  readonly #reader: Reader;
  #next: string;
  #isReading = false;

  constructor(look: Look, first: string, signal: AbortSignal, reader: Reader) {
    this.#look = look;
    this.#next = first;
    this.#signal = signal;
    this.#reader = reader;
  }

  /** Resolves when nothing is awaited any more. Throws when a message cannot be had, and at the signal. */
  async read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      let pause = FIRST_PAUSE_MS;
      while (this.#reader.isAwaited()) {
        await sleep(pause, undefined, { signal: this.#signal });
        const bytes = await this.#look(this.#next, this.#signal);
        if (bytes === undefined) this.#reader.miss();
        else this.#take(bytes);
        pause = bytes === undefined ? Math.min(LONGEST_PAUSE_MS, pause * GROWTH) : FIRST_PAUSE_MS;
      }
    } finally {
      this.#isReading = false;
    }
  }

  #take(bytes: Buffer): void {
    for (const { head, body } of framesIn(bytes)) {
      if (head.do === 'next') this.#next = head.url;
      else this.#reader.take(head, body);
    }
  }
}
