/** One event of a stream of server-sent events (HTML standard, 9.2.6). */
export interface Frame {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Cuts a stream into frames. Text may come in pieces of any size. */
export class FrameReader {
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
