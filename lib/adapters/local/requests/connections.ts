import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ownMember } from '../../../language/own-members.ts';
import type { Arrivals } from './arrivals.ts';
import { parseInParts } from './readings.ts';

/** The limits of connections. */
export interface ConnectionLimits {
  /** Open connections of one address, and of all addresses. A proxy is one address. */
  readonly connectionsPerAddress: number;
  readonly connections: number;
  /** The time for the head of a request, milliseconds, from the opening of the connection or the first byte of the head. */
  readonly headMs: number;
  /** A connection without progress is closed after this time, milliseconds, unless it waits for a run or streams. */
  readonly stalledMs: number;
}

/** For clients and proxies of the usual kind; a proxy needs as many as its clients together. */
export const DEFAULT_CONNECTIONS: ConnectionLimits = {
  connectionsPerAddress: 4_000,
  connections: 10_000,
  headMs: 30_000,
  stalledMs: 60_000,
};

/** How often the arrival of heads is checked, milliseconds at most. */
const MAX_CHECK_MS = 5000;

/** The options of an HTTP server that limits the arrival of heads. */
export const serverOptions = ({ headMs }: ConnectionLimits) => ({
  headersTimeout: headMs,
  connectionsCheckingInterval: Math.min(headMs / 2, MAX_CHECK_MS),
  // A request may wait for a run as long as the limits of the run allow; its body has a deadline of its own.
  requestTimeout: 0,
});

interface Refusal {
  readonly status: string;
  readonly message: string;
}

const MALFORMED: Refusal = { status: '400 Bad Request', message: 'the request is not HTTP/1.1 that can be read' };

/** The replies to connections whose request cannot be parsed, by the code of the error. */
const REFUSALS: Readonly<Record<string, (limits: ConnectionLimits) => Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ({ headMs }) => ({
    status: '408 Request Timeout',
    message: `the head of the request has not arrived within ${headMs / 1000} s`,
  }),
  HPE_HEADER_OVERFLOW: () => ({
    status: '431 Request Header Fields Too Large',
    message: 'the path and the headers are longer than 16 KiB',
  }),
};

/** Sends a reply of the service's shape and closes the connection. What still arrives is dropped. */
function refuse(socket: Socket, { status, message }: Refusal, headers = ''): void {
  socket.removeAllListeners('data').resume();
  const code = Number.parseInt(status, 10);
  const body = JSON.stringify({ code, message, Error: message, StatusCode: code });
  const length = Buffer.byteLength(body);
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n`;
  socket.end(`${head}${headers}\r\n${body}`, () => socket.destroySoon());
}

/** Counts the open connections of each address. */
class Connections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<string, number>();
  #total = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Counts a connection until it closes. Returns why it is refused; undefined: it is accepted. */
  admit(socket: Socket): string | undefined {
    const { connections, connectionsPerAddress } = this.#limits;
    const address = socket.remoteAddress ?? '';
    const open = this.#open.get(address) ?? 0;
    if (open >= connectionsPerAddress) return `${connectionsPerAddress} connections of this address are open`;
    if (this.#total >= connections) return `${connections} connections are open`;
    this.#open.set(address, open + 1);
    this.#total += 1;
    socket.once('close', () => this.#release(address));
    return undefined;
  }

  #release(address: string): void {
    const left = (this.#open.get(address) ?? 1) - 1;
    this.#total -= 1;
    if (left > 0) this.#open.set(address, left);
    else this.#open.delete(address);
  }
}

/** What limits the connections of a server. */
interface ConnectionControl {
  readonly limits: ConnectionLimits;
  readonly arrivals: Arrivals;
  /** Whether a request of a connection is under way. */
  readonly isBusy: (socket: Socket) => boolean;
}

/**
 * Limits the connections of a server that was created with `serverOptions`: their number, the arrival of heads, and the
 * time for which a reply is held for a client that does not read it. A connection that is not served gets a reply.
 */
export function limitConnections(server: Server, { limits, arrivals, isBusy }: ConnectionControl): void {
  const connections = new Connections(limits);
  server.on('connection', (socket) => {
    const excess = connections.admit(socket);
    if (excess === undefined) {
      parseInParts(socket, arrivals);
      return;
    }
    const message = `${excess}; close some or try again later`;
    refuse(socket, { status: '503 Service Unavailable', message }, 'Retry-After: 5\r\n');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return void socket.destroy();
    refuse(socket as Socket, ownMember(REFUSALS, error.code ?? '')?.(limits) ?? MALFORMED);
  });
  // Connections that make no progress: idle ones, and those whose client does not read its reply.
  server.timeout = limits.stalledMs;
  server.on('timeout', (socket) => {
    // A reply that has not begun waits for a run; the deadline of a body is another one.
    if (!isBusy(socket) || socket.writableLength > 0) socket.destroy();
  });
}
