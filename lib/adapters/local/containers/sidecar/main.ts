/**
 * The process beside a function, in the same network: it serves localhost:8889, calls localhost:8080 and keeps the
 * temporary directories. It speaks with the service through its standard input and output, and ends with them. It runs
 * in a container, where there is nothing but Node and this folder.
 */
import { call, cancel, isRunning, probe, type Send } from './calls.ts';
import { openFolder, placeEntry, removeFolder } from './files.ts';
import { FrameReader, writeFrame } from './frames.ts';
import type { ToSidecar } from './messages.ts';
import { type Ask, serveRequests, type Told } from './requests.ts';

const send: Send = (message, body) => writeFrame(process.stdout, message, body);
const asking = new Map<number, (told: Told) => void>();
/** Calls whose files could not be placed. */
const broken = new Map<string, string>();
let asked = 0;

const ask: Ask = (actionId, question, body) => {
  if (!isRunning(actionId))
    return Promise.resolve({ status: 500, body: `no call with the id '${actionId}' is running` });
  asked += 1;
  const id = asked;
  return new Promise((resolve) => {
    asking.set(id, resolve);
    send({ say: 'ask', id, actionId, asked: question }, body);
  });
};

function fail(id: string, problem: string): void {
  send({ say: 'done', id, answered: { status: 0, errorCode: '', errorMessage: '', problem } });
}

type Handlers = {
  readonly [Name in ToSidecar['do']]: (message: Extract<ToSidecar, { do: Name }>, body: Buffer) => void;
};

const handlers: Handlers = {
  probe: ({ id, ms }) => void probe(ms).then((isUp) => send({ say: 'probed', id, isUp })),
  file: ({ id, path, kind, isExecutable }, bytes) => {
    try {
      openFolder(id);
      placeEntry(id, path, kind, isExecutable, bytes);
    } catch (error) {
      broken.set(id, `the file '${path}' cannot be placed: ${error instanceof Error ? error.message : error}`);
    }
  },
  call: ({ id, headers }, input) => {
    const problem = broken.get(id);
    broken.delete(id);
    if (problem === undefined) {
      openFolder(id);
      call(id, headers, input, send).catch((error: unknown) => fail(id, String(error)));
      return;
    }
    removeFolder(id);
    fail(id, problem);
  },
  cancel: ({ id, ms }) => cancel(id, ms),
  answer: ({ id, status }, body) => {
    asking.get(id)?.({ status, body });
    asking.delete(id);
  },
};

function handle<Name extends ToSidecar['do']>(message: Extract<ToSidecar, { do: Name }>, body: Buffer): void {
  handlers[message.do as Name](message, body);
}

const reader = new FrameReader<ToSidecar>();
process.stdin.on('data', (chunk: Buffer) => {
  for (const { head, body } of reader.push(chunk)) handle(head, body);
});
process.stdin.on('close', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
await serveRequests(ask);
send({ say: 'ready' });
