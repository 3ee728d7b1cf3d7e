import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Arrivals, TURN_BYTES } from './arrivals.ts';
import { holdReading } from './held-reading.ts';

/** Bytes that are parsed at once: 1,400 chunks of one byte, or 400 heads, take 2 to 4 ms. */
const PART_BYTES = 8 * 1024;

/** At most as many bytes take little time to parse. Their time says little: code may run for the first time. */
const SMALL_BYTES = 1024;

/** To parse any usual part takes a tenth of this, µs of processor time. */
const LONG_US = 1000;

/** How a connection is parsed. */
interface Parsing {
  /** The longest reading that is parsed at once; a longer one waits for a turn. */
  longest: number;
  /** The last part took long. */
  isSlow: boolean;
  /** A body in chunks has begun in the part that is being parsed. */
  hasChunks: boolean;
}

const parsings = new WeakMap<Socket, Parsing>();

/** Notes a request whose head was parsed: if its body has chunks, they may be tiny. */
export function noteHead({ headers, socket }: IncomingMessage): void {
  const parsing = parsings.get(socket);
  if (parsing !== undefined) parsing.hasChunks ||= headers['transfer-encoding'] !== undefined;
}

/** Whether the last part of a connection took long to parse. */
export const isSlowToParse = (socket: Socket): boolean => parsings.get(socket)?.isSlow === true;

/** Parses a part, and judges by its processor time which readings of the connection must wait from now on. */
function parsePart(parsing: Parsing, parse: () => void, length: number): void {
  parsing.hasChunks = false;
  const before = process.threadCpuUsage();
  parse();
  const { user, system } = process.threadCpuUsage(before);
  parsing.isSlow = length > SMALL_BYTES && user + system > LONG_US;
  if (parsing.isSlow || parsing.hasChunks) parsing.longest = 0;
  else if (length > SMALL_BYTES) parsing.longest = Number.POSITIVE_INFINITY;
}

/**
 * Parses each reading of a connection in parts: Node would parse up to 64 KiB of tiny chunks or heads in one turn of the event
 * loop, and of any number of connections. Until a part has shown that it takes little time, those that are not small are
 * parsed in turns with other connections; so is each part after one that took long, and after the head of a body in chunks.
 * The server has added its parser, and nothing else, as the listener of the connection's data.
 */
export function parseInParts(socket: Socket, arrivals: Arrivals): void {
  const [listener] = socket.listeners('data');
  if (listener === undefined) throw new Error('the connection has no parser');
  const parsing: Parsing = { longest: SMALL_BYTES, isSlow: false, hasChunks: false };
  const holder = `readings of ${socket.remoteAddress ?? ''}`;
  let isItsTurn = false;
  const onData = (reading: Buffer) => {
    if (!isItsTurn && reading.length > parsing.longest) {
      const release = holdReading(socket);
      socket.unshift(reading);
      void arrivals.wait(holder, TURN_BYTES).then(() => {
        isItsTurn = true;
        release();
      });
      return;
    }
    isItsTurn = false;
    const part = reading.subarray(0, PART_BYTES);
    parsePart(parsing, () => listener.call(socket, part), part.length);
    // A connection that is refused has no listener any more. The rest is read first, at once if the connection flows.
    const isOver = socket.destroyed || socket.listenerCount('data') === 0;
    if (!isOver && reading.length > PART_BYTES) socket.unshift(reading.subarray(PART_BYTES));
  };
  parsings.set(socket, parsing);
  socket.off('data', listener as (data: Buffer) => void).on('data', onData);
}
