import type { ChildProcess } from 'node:child_process';
import type { FileEntry } from '../../../containers/session/archives.ts';
import { type CallOutcome, CallSession } from '../../../containers/session/call-session.ts';
import { FrameReader, writeFrame } from '../../../containers/sidecar/frames.ts';
import { failedAnswer, type HostMessage, type SidecarMessage } from '../../../containers/sidecar/messages.ts';
import type { ContainerCall } from '../../../ports/containers.ts';

const ENDED = 'the process beside the container ended before the answer came';
const OVER = 'the call has ended';
const MAX_STDERR = 2_000;

/** The service's side of a sidecar: owns the `run` command that is attached to the sidecar's container. */
export class Sidecar {
  /** Resolves when localhost:8889 is served; rejects when the sidecar ends before that. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #sessions = new Map<string, CallSession>();
  readonly #probes = new Map<number, (isUp: boolean) => void>();
  #lastProbe = 0;
  #stderr = '';
  #hasEnded = false;
  #onReady: () => void = () => undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    const reader = new FrameReader<SidecarMessage>();
    child.stdout?.on('data', (chunk: Buffer) => {
      for (const { head, body } of reader.push(chunk)) this.#handle(head, body);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk).slice(-MAX_STDERR);
    });
    child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => {
        this.#stderr += error.message;
        resolve();
      });
      child.once('close', () => resolve());
    });
    this.ready = new Promise((resolve, reject) => {
      this.#onReady = resolve;
      this.ended.then(() => reject(new Error(this.#stderr.trim() || 'it ended without a word')));
    });
    this.ready.catch(() => undefined);
    this.ended.then(() => this.#failAll());
  }

  /** Whether the function accepts connections within `ms` milliseconds; 0: at once. */
  probe(ms: number): Promise<boolean> {
    if (this.#hasEnded) return Promise.resolve(false);
    this.#lastProbe += 1;
    const id = this.#lastProbe;
    return new Promise((resolve) => {
      this.#probes.set(id, resolve);
      this.#send({ do: 'probe', id, ms });
    });
  }

  /** Calls the function. A failure is the problem of the outcome. */
  async call(call: ContainerCall, entries: readonly FileEntry[]): Promise<CallOutcome> {
    if (this.#hasEnded) return { answered: failedAnswer(ENDED), body: Buffer.alloc(0), outputs: [] };
    const session = new CallSession(call, (message, body) => this.#send(message, body));
    this.#sessions.set(call.actionId, session);
    session.start(entries);
    return session.outcome;
  }

  /** Cancels a call, and aborts it after `ms` milliseconds. */
  cancel(id: string, ms: number): void {
    this.#send({ do: 'cancel', id, ms });
  }

  /** Closes the connection, with which the sidecar ends. */
  async end(): Promise<void> {
    this.#child.stdin?.destroy();
    await this.ended;
  }

  #send(message: HostMessage, body?: Uint8Array): void {
    if (this.#child.stdin?.writable) writeFrame(this.#child.stdin, message, body);
  }

  #failAll(): void {
    this.#hasEnded = true;
    for (const resolve of this.#probes.values()) resolve(false);
    for (const session of this.#sessions.values()) session.finish(failedAnswer(ENDED));
    this.#probes.clear();
    this.#sessions.clear();
  }

  #handle(message: SidecarMessage, body: Buffer): void {
    if (message.say === 'ready') this.#onReady();
    else if (message.say === 'probed') this.#resolveProbe(message.id, message.isUp);
    else if (message.say !== 'alive') this.#passToSession(message, body);
  }

  #resolveProbe(id: number, isUp: boolean): void {
    this.#probes.get(id)?.(isUp);
    this.#probes.delete(id);
  }

  #passToSession(message: Extract<SidecarMessage, { say: 'ask' | 'log' | 'output' | 'done' }>, body: Buffer): void {
    const id = message.say === 'ask' ? message.actionId : message.id;
    const session = this.#sessions.get(id);
    if (message.say === 'done') this.#sessions.delete(id);
    if (session !== undefined) void session.receive(message, body);
    else if (message.say === 'ask') this.#send({ do: 'answer', id: message.id, status: 500 }, Buffer.from(OVER));
  }
}
