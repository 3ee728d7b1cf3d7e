import { type IncomingMessage, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Json } from './client.ts';

/** One event of a stream. */
export interface StreamEvent {
  /** The name; `message` if the event has none. */
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string;
}

export interface ReaderOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Reconnects after an end without an error, as browsers do: a remote service may have to end its streams early. */
  readonly comesAgain?: boolean;
}

const PAUSE_MS = 100;

function toEvent(block: string): StreamEvent {
  const fields = block.split('\n').map((line) => {
    const [name = '', ...rest] = line.split(':');
    return [name, rest.join(':').replace(/^ /, '')] as const;
  });
  const valuesOf = (wanted: string) => fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
  return { name: valuesOf('event')[0] ?? 'message', id: valuesOf('id')[0], data: valuesOf('data').join('\n') };
}

function send(url: string, { key, headers }: ReaderOptions): Promise<IncomingMessage> {
  const named = key === undefined ? {} : { 'Service-Api-Key': key };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, { headers: { Accept: 'text/event-stream', ...named, ...headers } })
    .on('response', resolve)
    .on('error', reject)
    .end();
  return promise.then((incoming) => incoming.setEncoding('utf8'));
}

/** An event stream that is read event by event; unread events stay in the connection. */
export class EventReader {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly #url: string;
  readonly #options: ReaderOptions;
  #incoming: IncomingMessage;
  #blocks: AsyncGenerator<string, void>;
  #text = '';
  #last: StreamEvent | undefined;
  #seen: string | undefined;

  constructor(url: string, options: ReaderOptions, incoming: IncomingMessage) {
    this.#url = url;
    this.#options = options;
    this.#incoming = incoming;
    this.#blocks = this.#read(incoming);
    this.status = incoming.statusCode ?? 0;
    this.headers = incoming.headers;
  }

  /** All text received so far. */
  get text(): string {
    return this.#text;
  }

  /** Returns the next event, including heartbeats; undefined after the end of the stream. */
  async next(): Promise<StreamEvent | undefined> {
    for (;;) {
      const { value, done } = await this.#blocks.next();
      if (done !== true) return this.#note(toEvent(value));
      if (this.#options.comesAgain !== true || this.status !== 200 || this.#last?.name === 'error') return undefined;
      await this.#comeAgain();
    }
  }

  /** Returns the next event that is not a heartbeat; undefined after the end of the stream. */
  async event(): Promise<StreamEvent | undefined> {
    let found = await this.next();
    while (found?.data === '') found = await this.next();
    return found;
  }

  /** Returns the JSON of the next event that is not a heartbeat. Throws if the stream has ended. */
  async json(): Promise<Json> {
    const found = await this.event();
    if (found === undefined) throw new Error(`the stream ended: ${this.#text.slice(-500)}`);
    return JSON.parse(found.data) as Json;
  }

  /** Returns the JSON of the next event that satisfies the condition. Throws if the stream has ended. */
  async until(fits: (frame: Json) => boolean): Promise<Json> {
    let frame = await this.json();
    while (!fits(frame)) frame = await this.json();
    return frame;
  }

  leave(): void {
    this.#incoming.on('error', () => {});
    this.#incoming.destroy();
  }

  /** Splits a stream into blocks; each ends with an empty line. */
  async *#read(incoming: AsyncIterable<string>): AsyncGenerator<string, void> {
    let rest = '';
    for await (const chunk of incoming) {
      this.#text += chunk;
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      yield* blocks;
    }
  }

  #note(event: StreamEvent): StreamEvent {
    this.#last = event;
    this.#seen = event.id ?? this.#seen;
    return event;
  }

  async #comeAgain(): Promise<void> {
    await setTimeout(PAUSE_MS);
    const { headers = {} } = this.#options;
    const seen = this.#seen === undefined ? {} : { 'Last-Event-ID': this.#seen };
    this.#incoming = await send(this.#url, { ...this.#options, headers: { ...headers, ...seen } });
    this.#blocks = this.#read(this.#incoming);
  }
}

/** Opens a stream with the headers that clients send. */
export async function openStream(url: string, path: string, options: ReaderOptions = {}): Promise<EventReader> {
  const whole = { comesAgain: process.env['SERVICE_URL'] !== undefined, ...options };
  return new EventReader(`${url}${path}`, whole, await send(`${url}${path}`, whole));
}
