import { setTimeout as sleep } from 'node:timers/promises';
import { type Frame, FrameReader } from '../frames.ts';
import type { HostMessage } from '../messages.ts';
import type { Continuation } from './event.ts';
import type { ReadObject } from './storage.ts';

/** The interval of polls for a response: it grows, because the caller may have crashed. */
const FIRST_INTERVAL_MS = 25;
const MAX_INTERVAL_MS = 1_000;
const GROWTH = 1.2;
const MAX_TRIES = 5;

/** Reads an object that exists already. Throws when it cannot be read, and at the signal. */
export async function fetchObject(read: ReadObject, url: string, signal: AbortSignal): Promise<Buffer> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const bytes = await read(url, signal);
    if (bytes !== undefined) return bytes;
    await sleep(FIRST_INTERVAL_MS * 2 ** tries, undefined, { signal });
  }
  throw new Error('the storage does not answer');
}

/** The object that is polled, and the interval. */
export interface PollOptions {
  readonly url: string;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
}

/** Resolves when the object exists. Throws when the storage rejects the poll, and at the signal. */
export async function waitForObject(read: ReadObject, { url, intervalMs, signal }: PollOptions): Promise<void> {
  do await sleep(intervalMs, undefined, { signal });
  while ((await read(url, signal)) === undefined);
}

/** The frames in an object of a channel, or in an event. */
export function decodeFrames(bytes: Buffer): Frame<HostMessage | Continuation>[] {
  return new FrameReader<HostMessage | Continuation>().push(bytes);
}

/** The parts of a channel reader. */
export interface ChannelReaderProps {
  readonly read: ReadObject;
  /** The URL of the first object. */
  readonly url: string;
  readonly signal: AbortSignal;
  /** Whether there is a response to wait for. */
  readonly isAwaited: () => boolean;
  readonly onMessage: (message: HostMessage, body: Buffer) => void;
  /** Called when the next object did not exist yet. */
  readonly onMiss: () => void;
}

/** Reads the objects of a channel one after the other, while a response is awaited. */
export class ChannelReader {
  readonly #props: ChannelReaderProps;
  #next: string;
  #isReading = false;

  constructor(props: ChannelReaderProps) {
    this.#props = props;
    this.#next = props.url;
  }

  /** Resolves when no response is awaited any more. Throws when an object cannot be read, and at the signal. */
  async run(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const { read, signal, isAwaited, onMiss } = this.#props;
    try {
      let interval = FIRST_INTERVAL_MS;
      while (isAwaited()) {
        await sleep(interval, undefined, { signal });
        const bytes = await read(this.#next, signal);
        if (bytes === undefined) onMiss();
        else this.#handle(bytes);
        interval = bytes === undefined ? Math.min(MAX_INTERVAL_MS, interval * GROWTH) : FIRST_INTERVAL_MS;
      }
    } finally {
      this.#isReading = false;
    }
  }

  #handle(bytes: Buffer): void {
    for (const { head, body } of decodeFrames(bytes)) {
      if (head.do === 'next') this.#next = head.url;
      else this.#props.onMessage(head, body);
    }
  }
}
