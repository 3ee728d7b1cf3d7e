/** One event of a stream of server-sent events (HTML standard, 9.2.6). */
export interface Frame {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Splits a stream into frames. Text may come in pieces of any size. */
class EventSplitter {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id: string | undefined;

  /** The frames that this piece of text completes. */
  read(piece: string): Frame[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => (line === '' ? this.#complete() : this.#take(line)));
  }

  #take(line: string): Frame[] {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    if (field === 'data') this.#data.push(value);
    if (field === 'id') this.#id = value;
    return [];
  }

  #complete(): Frame[] {
    const frame = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    this.#id = undefined;
    return isEmpty ? [] : [frame];
  }
}

/**
 * Yields the frames of an event stream: for each piece that arrives, those that it completes, possibly none. Cancels the
 * stream when the caller stops early. Throws what reading the stream throws.
 */
export async function* framesOf({ body }: Response): AsyncGenerator<readonly Frame[]> {
  // Not `for await`: not every browser can iterate over a stream.
  const reader = body?.getReader();
  const [decoder, frames] = [new TextDecoder(), new EventSplitter()];
  try {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      yield frames.read(decoder.decode(part.value, { stream: true }));
    }
  } finally {
    // A stream that failed rejects the cancellation with the error that is thrown already.
    await reader?.cancel().catch(() => undefined);
  }
}
