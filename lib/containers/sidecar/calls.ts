import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request,
} from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectOutputs, removeFolder } from './files.ts';
import { type FromBeside, MOST_BYTES, spellings, unanswered } from './messages.ts';
import { folderOf, type Place } from './place.ts';

const HOSTS = ['127.0.0.1', '::1'];
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
const CONNECT_MS = 1_000;

export type Send = (message: FromBeside, body?: Uint8Array) => void;

interface Running {
  readonly request: ClientRequest;
  cut?: NodeJS.Timeout;
  /** Why it is broken off. */
  why?: string;
}

/** The calls of the function beside this process. */
export class Calls {
  readonly #place: Place;
  readonly #running = new Map<string, Running>();
  /** Where the function was found to listen: it may know but one of the two. */
  #host = '127.0.0.1';

  constructor(place: Place) {
    this.#place = place;
  }

  /** Whose calls may log and ask for variables. */
  isRunning(actionId: string): boolean {
    return this.#running.has(actionId);
  }

  /** True as soon as the function accepts connections, false after so many milliseconds or at the signal. */
  async probe(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    const end = performance.now() + milliseconds;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.5)) {
      for (const candidate of HOSTS) {
        if (!(await accepts(candidate, this.#place.functionPort))) continue;
        this.#host = candidate;
        return true;
      }
      if (performance.now() + pause > end || signal?.aborted === true) return false;
      await sleep(pause);
    }
  }

  /** Calls the function, and sends its outputs and its answer (workflow-language reference, 11.2, 11.3 and 11.7). */
  async call(id: string, headers: Readonly<Record<string, string>>, input: Buffer, send: Send): Promise<void> {
    const { answered, body } = await this.#answerTo(id, headers, input);
    this.#running.delete(id);
    const folder = folderOf(this.#place, id);
    const refused = collectOutputs(folder, (part, bytes) => send({ say: 'output', id, part }, bytes));
    removeFolder(folder);
    const hasFailed = answered.problem !== '' || answered.errorCode !== '' || answered.errorMessage !== '';
    send({ say: 'done', id, answered: hasFailed ? answered : { ...answered, problem: refused } }, body);
  }

  /**
   * Tells the function that nobody waits for the call, and breaks it off a while later (workflow-language reference,
   * 11.4).
   */
  cancel(id: string, milliseconds: number, why: string): void {
    const current = this.#running.get(id);
    if (current === undefined || current.cut !== undefined) return;
    current.why = why;
    current.cut = setTimeout(() => current.request.destroy(new Error(why)), milliseconds);
    const told = request({ ...this.#target('DELETE', spellings('ActionID', id)), timeout: milliseconds });
    told.once('timeout', () => told.destroy());
    // A function that does not take DELETE is broken off all the same.
    told.once('error', () => undefined);
    told.once('response', (response) => response.resume());
    told.end();
  }

  async #answerTo(id: string, headers: Readonly<Record<string, string>>, input: Buffer) {
    try {
      const response = await this.#post(id, headers, input);
      const answered = {
        status: response.statusCode ?? 0,
        errorCode: headerOf(response, 'errorcode'),
        errorMessage: headerOf(response, 'errormessage'),
        problem: '',
      };
      return { answered, body: await bodyOf(response) };
    } catch (error) {
      const { code = '', message } = error as Error & { readonly code?: string };
      const why = this.#running.get(id)?.why;
      const answered = { ...unanswered(why ?? WORDS[code] ?? message), isLost: why === undefined && code in WORDS };
      return { answered, body: Buffer.alloc(0) };
    } finally {
      clearTimeout(this.#running.get(id)?.cut);
    }
  }

  #post(id: string, headers: Readonly<Record<string, string>>, input: Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        this.#target('POST', {
          ...headers,
          ...spellings('ActionID', id),
          ...spellings('TempDir', folderOf(this.#place, id)),
          'Content-Type': 'application/json',
          'Content-Length': input.length,
        }),
      );
      this.#running.set(id, { request: outgoing });
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
      outgoing.end(input);
    });
  }

  #target(method: string, headers: OutgoingHttpHeaders): RequestOptions {
    const { functionPort: port } = this.#place;
    const told = { Host: `localhost:${port}`, ...headers };
    return { host: this.#host, port, method, path: '/', headers: told, agent: false };
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const settle = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}

function headerOf(response: IncomingMessage, name: string): string {
  const values = ['direktiv', 'service'].map((brand) => response.headers[`${brand}-${name}`]);
  return values.find((value) => typeof value === 'string' && value !== '')?.toString() ?? '';
}

/** A longer declared answer is refused, an undeclared excess is cut off (workflow-language reference, 11.3). */
async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  if (Number(response.headers['content-length'] ?? 0) > MOST_BYTES) {
    response.destroy();
    throw new Error('the answer is longer than 128 MiB');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MOST_BYTES) break;
  }
  return Buffer.concat(chunks, Math.min(size, MOST_BYTES));
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it does not accept connections on port 8080',
  ECONNRESET: 'the connection ended before the answer was complete',
  EPIPE: 'the connection ended before the input was read',
};
