/** One event of a stream of server-sent events (HTML standard, 9.2.6). */
export interface Frame {
  readonly event: string;
  readonly data: string;
  /** The id to send when the stream is opened again; the empty text before the first id. */
  readonly id: string;
}

/** A frame longer than this is not kept: nobody sends so long a line but in error. Characters. */
const LONGEST = 64 * 1024 * 1024;

/** Collects the fields of a frame until the empty line. */
class Draft {
  private event = '';
  private data: string[] = [];
  private id = '';

  /** Answers the frame that the line ends. */
  take(line: string): Frame | undefined {
    if (line === '') return this.end();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.data.push(value);
    if (name === 'event') this.event = value;
    if (name === 'id' && !value.includes('\0')) this.id = value;
    return undefined;
  }

  private end(): Frame | undefined {
    const { event, data, id } = this;
    this.event = '';
    this.data = [];
    return data.length === 0 ? undefined : { event: event === '' ? 'message' : event, data: data.join('\n'), id };
  }
}

/**
 * The frames of a stream, whole ones alone: what is cut off at the end is left out. Throws for a line that does not
 * end within 64 million characters.
 */
export async function* toFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  const draft = new Draft();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > LONGEST) throw new Error('a line of the event stream does not end');
    // A carriage return at the end may be the first half of a line end.
    const lines = rest.replace(/\r(?!\n|$)|\r\n/g, '\n').split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const frame = draft.take(line);
      if (frame !== undefined) yield frame;
    }
  }
}
