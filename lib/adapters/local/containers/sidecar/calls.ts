import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectOutputs, folderOf, removeFolder } from './files.ts';
import { type Answered, type FromSidecar, MOST_BYTES, spellings } from './messages.ts';

const PORT = 8080;
const HOSTS = ['127.0.0.1', '::1'];
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
const CONNECT_MS = 1_000;
const CUT = 'the call was cancelled';

export type Send = (message: FromSidecar, body?: Uint8Array) => void;

interface Running {
  readonly request: ClientRequest;
  cut?: NodeJS.Timeout;
}

const running = new Map<string, Running>();
/** Where the function was found to listen: it may know but one of the two. */
let host = '127.0.0.1';

/** Whose calls may log and ask for variables. */
export function isRunning(actionId: string): boolean {
  return running.has(actionId);
}

/** True as soon as the function accepts connections, false after so many milliseconds. */
export async function probe(milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.5)) {
    for (const candidate of HOSTS) {
      if (!(await accepts(candidate))) continue;
      host = candidate;
      return true;
    }
    if (performance.now() + pause > end) return false;
    await sleep(pause);
  }
}

function accepts(candidate: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: candidate, port: PORT, timeout: CONNECT_MS });
    const settle = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}

/** Calls the function, and sends its outputs and its answer (workflow-language reference, 11.2, 11.3 and 11.7). */
export async function call(
  id: string,
  headers: Readonly<Record<string, string>>,
  input: Buffer,
  send: Send,
): Promise<void> {
  const { answered, body } = await answerTo(id, headers, input);
  running.delete(id);
  const refused = collectOutputs(id, (part, bytes) => send({ say: 'output', id, part }, bytes));
  removeFolder(id);
  const hasFailed = answered.problem !== '' || answered.errorCode !== '' || answered.errorMessage !== '';
  send({ say: 'done', id, answered: hasFailed ? answered : { ...answered, problem: refused } }, body);
}

async function answerTo(id: string, headers: Readonly<Record<string, string>>, input: Buffer) {
  try {
    const response = await post(id, headers, input);
    const answered = {
      status: response.statusCode ?? 0,
      errorCode: headerOf(response, 'errorcode'),
      errorMessage: headerOf(response, 'errormessage'),
      problem: '',
    };
    return { answered, body: await bodyOf(response) };
  } catch (error) {
    const { code = '', message } = error as Error & { readonly code?: string };
    const problem = WORDS[code] ?? message;
    const answered: Answered = { status: 0, errorCode: '', errorMessage: '', problem, isLost: code in WORDS };
    return { answered, body: Buffer.alloc(0) };
  } finally {
    clearTimeout(running.get(id)?.cut);
  }
}

function post(id: string, headers: Readonly<Record<string, string>>, input: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = {
      ...headers,
      ...spellings('ActionID', id),
      ...spellings('TempDir', folderOf(id)),
      'Content-Type': 'application/json',
      'Content-Length': input.length,
    };
    const outgoing = request({
      host,
      port: PORT,
      method: 'POST',
      path: '/',
      headers: { Host: `localhost:${PORT}`, ...sent },
      agent: false,
    });
    running.set(id, { request: outgoing });
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.end(input);
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

/** Tells the function that nobody waits for the call, and breaks it off a while later (workflow-language reference, 11.4). */
export function cancel(id: string, milliseconds: number): void {
  const current = running.get(id);
  if (current === undefined || current.cut !== undefined) return;
  current.cut = setTimeout(() => current.request.destroy(new Error(CUT)), milliseconds);
  const headers = { Host: `localhost:${PORT}`, ...spellings('ActionID', id) };
  const told = request({ host, port: PORT, method: 'DELETE', path: '/', headers, agent: false, timeout: milliseconds });
  told.once('timeout', () => told.destroy());
  // A function that does not take DELETE is broken off all the same.
  told.once('error', () => undefined);
  told.once('response', (response) => response.resume());
  told.end();
}
