import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { noteHead } from './readings.ts';

/** While more requests of a connection wait, no more of it is read. */
const MOST_WAITING = 8;

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** The requests of one connection. */
interface Line {
  /** A request is under way. */
  isBusy: boolean;
  /** In the order in which they arrived. */
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
}

/**
 * Serves the requests of each connection one at a time: a client may send the next ones before the reply (pipelining), and
 * they would all be under way at once.
 */
export class Pipelines {
  readonly #serve: Serve;
  readonly #lines = new WeakMap<Socket, Line>();

  constructor(serve: Serve) {
    this.#serve = serve;
  }

  /** Serves a request now, or when those before it on its connection have ended. */
  accept(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const line = this.#lines.get(socket) ?? this.#open(socket);
    noteHead(request);
    if (!line.isBusy) {
      this.#begin(line, request, response);
      return;
    }
    line.waiting.push([request, response]);
    if (line.waiting.length > MOST_WAITING) socket.pause();
  }

  /** Whether a request of the connection is under way. */
  isBusy(socket: Socket): boolean {
    return this.#lines.get(socket)?.isBusy ?? false;
  }

  #open(socket: Socket): Line {
    const line: Line = { isBusy: false, waiting: [] };
    this.#lines.set(socket, line);
    // Node resumes a connection to read the rest of a body.
    socket.on('resume', () => {
      if (line.waiting.length > MOST_WAITING) socket.pause();
    });
    return line;
  }

  #begin(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.isBusy = true;
    response.once('close', () => {
      line.isBusy = false;
      // In another turn of the event loop, as if the request had arrived after the reply.
      if (line.waiting.length > 0) setImmediate(() => this.#next(line));
    });
    // What else the reading holds is parsed first.
    process.nextTick(() => this.#serve(request, response));
  }

  #next(line: Line): void {
    const [request, response] = line.waiting.shift() ?? [];
    if (request === undefined || response === undefined) return;
    const { socket } = request;
    if (line.waiting.length === MOST_WAITING) socket.resume();
    // The reply before may have closed the connection.
    if (socket.writable) this.#begin(line, request, response);
    else line.waiting.length = 0;
  }
}
