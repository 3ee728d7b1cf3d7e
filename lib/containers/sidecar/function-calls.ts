import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request,
} from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { callFolder, type SidecarConfig } from './config.ts';
import { collectOutputs, removeFolder } from './files.ts';
import { brandedHeaders, type FunctionAnswer, failedAnswer, MAX_BYTES, type SidecarMessage } from './messages.ts';

const HOSTS = ['127.0.0.1', '::1'];
const FIRST_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = 250;
const CONNECT_TIMEOUT_MS = 1_000;

/** Sends a message to the service. */
export type SendToHost = (message: SidecarMessage, body?: Uint8Array) => void;

/** A call of the function. */
export interface FunctionCallProps {
  /** The id of its action. */
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly input: Buffer;
}

interface RunningCall {
  readonly request: ClientRequest;
  abortTimer?: NodeJS.Timeout;
  /** Set when the call is cancelled. */
  problem?: string;
}

interface AnswerWithBody {
  readonly answered: FunctionAnswer;
  readonly body: Buffer;
}

/** Problems of a lost connection, by the code of the error. */
const CONNECTION_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'it does not accept connections on port 8080'],
  ['ECONNRESET', 'the connection ended before the answer was complete'],
  ['EPIPE', 'the connection ended before the input was read'],
]);

/** Calls the function by HTTP. */
export class FunctionCalls {
  readonly #config: SidecarConfig;
  readonly #running = new Map<string, RunningCall>();
  /** The loopback address on which the function listens: it may listen on only one of the two. */
  #host = '127.0.0.1';

  constructor(config: SidecarConfig) {
    this.#config = config;
  }

  /** Whether the call is running: only then may it log and access variables. */
  isRunning(actionId: string): boolean {
    return this.#running.has(actionId);
  }

  /** True as soon as the function accepts connections; false after `milliseconds`, or at the signal. */
  async probe(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    const end = performance.now() + milliseconds;
    for (let interval = FIRST_INTERVAL_MS; ; interval = Math.min(MAX_INTERVAL_MS, interval * 1.5)) {
      for (const candidate of HOSTS) {
        if (!(await accepts(candidate, this.#config.functionPort))) continue;
        this.#host = candidate;
        return true;
      }
      if (performance.now() + interval > end || signal?.aborted === true) return false;
      await sleep(interval);
    }
  }

  /** Calls the function, and sends its outputs and its answer (workflow-language reference, 11.2, 11.3 and 11.7). */
  async call(call: FunctionCallProps, send: SendToHost): Promise<void> {
    const { id } = call;
    const { answered, body } = await this.#answerOf(call);
    this.#running.delete(id);
    const folder = callFolder(this.#config, id);
    const problem = collectOutputs(folder, (part, bytes) => send({ say: 'output', id, part }, bytes));
    removeFolder(folder);
    const hasFailed = answered.problem !== '' || answered.errorCode !== '' || answered.errorMessage !== '';
    send({ say: 'done', id, answered: hasFailed ? answered : { ...answered, problem } }, body);
  }

  /**
   * Notifies the function that a call is cancelled, and aborts the request after `milliseconds` (workflow-language
   * reference, 11.4). The call then fails with the problem.
   */
  cancel(id: string, milliseconds: number, problem: string): void {
    const running = this.#running.get(id);
    if (running === undefined || running.abortTimer !== undefined) return;
    running.problem = problem;
    running.abortTimer = setTimeout(() => running.request.destroy(new Error(problem)), milliseconds);
    const headers = brandedHeaders('ActionID', id);
    const notification = request({ ...this.#target('DELETE', headers), timeout: milliseconds });
    notification.once('timeout', () => notification.destroy());
    // A function without support for DELETE is aborted in the same way.
    notification.once('error', () => undefined);
    notification.once('response', (response) => response.resume());
    notification.end();
  }

  async #answerOf(call: FunctionCallProps): Promise<AnswerWithBody> {
    try {
      const response = await this.#post(call);
      const answered = {
        status: response.statusCode ?? 0,
        errorCode: errorHeaderOf(response, 'errorcode'),
        errorMessage: errorHeaderOf(response, 'errormessage'),
        problem: '',
      };
      return { answered, body: await readBody(response) };
    } catch (error) {
      const { code = '', message } = error as Error & { readonly code?: string };
      const cancelled = this.#running.get(call.id)?.problem;
      const answered = failedAnswer(cancelled ?? CONNECTION_PROBLEMS.get(code) ?? message);
      const isLost = cancelled === undefined && CONNECTION_PROBLEMS.has(code);
      const isRefused = isLost && code === 'ECONNREFUSED';
      return { answered: { ...answered, isLost, isRefused }, body: Buffer.alloc(0) };
    } finally {
      clearTimeout(this.#running.get(call.id)?.abortTimer);
    }
  }

  #post({ id, headers, input }: FunctionCallProps): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        this.#target('POST', {
          ...headers,
          ...brandedHeaders('ActionID', id),
          ...brandedHeaders('TempDir', callFolder(this.#config, id)),
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
    const { functionPort: port } = this.#config;
    const withHost = { Host: `localhost:${port}`, ...headers };
    return { host: this.#host, port, method, path: '/', headers: withHost, agent: false };
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS });
    const settle = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}

function errorHeaderOf(response: IncomingMessage, name: string): string {
  const values = ['direktiv', 'service'].map((brand) => response.headers[`${brand}-${name}`]);
  return values.find((value) => typeof value === 'string' && value !== '')?.toString() ?? '';
}

/** A body that is declared longer is rejected, an undeclared excess is cut off (workflow-language reference, 11.3). */
async function readBody(response: IncomingMessage): Promise<Buffer> {
  if (Number(response.headers['content-length'] ?? 0) > MAX_BYTES) {
    response.destroy();
    throw new Error('the answer is longer than 128 MiB');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_BYTES) break;
  }
  return Buffer.concat(chunks, Math.min(size, MAX_BYTES));
}
