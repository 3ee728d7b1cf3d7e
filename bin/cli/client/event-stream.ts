/** One event of a stream of server-sent events (HTML standard, 9.2.6). */
export interface Frame {
  readonly event: string;
  readonly data: string;
  /** The id to send when the stream is opened again; the empty text before the first id. */
  readonly id: string;
}

/** The longest line that is accepted, in characters. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/** Collects the fields of an event until the empty line. */
class FrameParser {
  private event = '';
  private data: string[] = [];
  private id = '';

  /** Returns the event that the line ends, if it ends one. */
  add(line: string): Frame | undefined {
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

/** The complete events of a stream. Throws for a line of more than 64 million characters. */
export async function* toFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  const parser = new FrameParser();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > MAX_LINE_LENGTH) throw new Error('a line of the event stream is too long');
    // A carriage return at the end may be the first half of a line end.
    const lines = rest.replace(/\r(?!\n|$)|\r\n/g, '\n').split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const frame = parser.add(line);
      if (frame !== undefined) yield frame;
    }
  }
}
