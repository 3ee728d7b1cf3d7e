import type { ChildProcess } from 'node:child_process';
import type { ContainerCall, ContainerHost, ContainerOutput, OutputScope } from '../../../ports.ts';
import { type Entry, packed } from './archives.ts';
import { FrameReader, writeFrame } from './sidecar/frames.ts';
import type { Answered, Asked, FromSidecar, OutputPart, ToSidecar } from './sidecar/messages.ts';

/** What a call of the function came to. */
export interface Told {
  readonly answered: Answered;
  readonly body: Buffer;
  readonly outputs: readonly ContainerOutput[];
}

interface Running {
  readonly host: ContainerHost;
  readonly parts: { readonly part: OutputPart; readonly bytes: Buffer }[];
  readonly settle: (answered: Answered, body: Buffer) => void;
}

const NOTHING = Buffer.alloc(0);
const ENDED = 'the process beside the container ended before the answer came';

function broken(problem: string): Answered {
  return { status: 0, errorCode: '', errorMessage: '', problem };
}

/** The service's side of a sidecar: it owns the client that is attached to the sidecar's container. */
export class Sidecar {
  /** Resolves when localhost:8889 is served; rejects when the sidecar ends before that. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #running = new Map<string, Running>();
  readonly #probes = new Map<number, (isUp: boolean) => void>();
  #probed = 0;
  #words = '';
  #hasEnded = false;
  #onReady: () => void = () => undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    const reader = new FrameReader<FromSidecar>();
    child.stdout?.on('data', (chunk: Buffer) => {
      for (const { head, body } of reader.push(chunk)) this.#handle(head, body);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#words = (this.#words + chunk).slice(-2_000);
    });
    child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => {
        this.#words += error.message;
        resolve();
      });
      child.once('close', () => resolve());
    });
    this.ready = new Promise((resolve, reject) => {
      this.#onReady = resolve;
      this.ended.then(() => reject(new Error(this.#words.trim() || 'it ended without a word')));
    });
    this.ready.catch(() => undefined);
    this.ended.then(() => this.#giveUp());
  }

  /** Whether the function accepts connections within so many milliseconds. */
  probe(ms: number): Promise<boolean> {
    if (this.#hasEnded) return Promise.resolve(false);
    this.#probed += 1;
    const id = this.#probed;
    return new Promise((resolve) => {
      this.#probes.set(id, resolve);
      this.#send({ do: 'probe', id, ms });
    });
  }

  /** Calls the function; what goes wrong is the answer's problem. */
  async call(call: ContainerCall, headers: Readonly<Record<string, string>>, entries: readonly Entry[]): Promise<Told> {
    const { actionId: id } = call;
    if (this.#hasEnded) return { answered: broken(ENDED), body: NOTHING, outputs: [] };
    const parts: Running['parts'] = [];
    const [answered, body] = await new Promise<[Answered, Buffer]>((resolve) => {
      this.#running.set(id, { host: call.host, parts, settle: (...told) => resolve(told) });
      for (const { path, kind, isExecutable, bytes } of entries) {
        this.#send({ do: 'file', id, path, kind, isExecutable }, bytes);
      }
      this.#send({ do: 'call', id, headers }, call.input);
    });
    return { answered, body, outputs: await toOutputs(parts) };
  }

  /** Breaks a call off after so many milliseconds. */
  cancel(id: string, ms: number): void {
    this.#send({ do: 'cancel', id, ms });
  }

  /** It ends by itself when nobody speaks to it any more. */
  async end(): Promise<void> {
    this.#child.stdin?.destroy();
    await this.ended;
  }

  #send(message: ToSidecar, body?: Uint8Array): void {
    if (this.#child.stdin?.writable) writeFrame(this.#child.stdin, message, body);
  }

  #giveUp(): void {
    this.#hasEnded = true;
    for (const settle of this.#probes.values()) settle(false);
    for (const { settle } of this.#running.values()) settle(broken(ENDED), NOTHING);
    this.#probes.clear();
    this.#running.clear();
  }

  #handle(message: FromSidecar, body: Buffer): void {
    if (message.say === 'ready') this.#onReady();
    if (message.say === 'probed') this.#probes.get(message.id)?.(message.isUp);
    if (message.say === 'ask') void this.#answer(message.id, message.actionId, message.asked, body);
    if (message.say === 'output') this.#running.get(message.id)?.parts.push({ part: message.part, bytes: body });
    if (message.say !== 'done') return;
    this.#running.get(message.id)?.settle(message.answered, body);
    this.#running.delete(message.id);
  }

  async #answer(id: number, actionId: string, asked: Asked, body: Buffer): Promise<void> {
    const host = this.#running.get(actionId)?.host;
    try {
      if (host === undefined) throw new Error(`no call with the id '${actionId}' is running`);
      this.#send({ do: 'answer', id, status: 200 }, await answerOf(host, asked, body));
    } catch (error) {
      this.#send(
        { do: 'answer', id, status: 500 },
        Buffer.from(error instanceof Error ? error.message : String(error)),
      );
    }
  }
}

/** Workflow-language reference, 11.5 and 11.6: an empty log entry is none, a variable that is not there is empty. */
async function answerOf(host: ContainerHost, asked: Asked, body: Buffer): Promise<Uint8Array> {
  if (asked.what === 'log') {
    if (body.length > 0) await host.log(body.toString('utf8'));
    return NOTHING;
  }
  // The sidecar takes no other scopes.
  const scope = asked.scope as OutputScope;
  if (asked.what === 'get') return (await host.variable(scope, asked.key)) ?? NOTHING;
  await host.setVariable(scope, asked.key, body, asked.mimeType);
  return NOTHING;
}

/** Files as they are, directories as tar.gz (workflow-language reference, 11.7). */
async function toOutputs(parts: Running['parts']): Promise<ContainerOutput[]> {
  const roots = parts.filter(({ part }) => part.path === '');
  return Promise.all(
    roots.map(async ({ part: { scope, name, kind }, bytes }) => {
      const inside = parts.filter(({ part }) => part.scope === scope && part.name === name && part.path !== '');
      const all = kind === 'file' ? bytes : await packed(inside.map(({ part, bytes }) => ({ ...part, bytes })));
      return { scope: scope as OutputScope, name, bytes: all };
    }),
  );
}
