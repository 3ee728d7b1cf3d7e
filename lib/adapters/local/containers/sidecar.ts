import type { ChildProcess } from 'node:child_process';
import type { FileEntry } from '../../../containers/session/archives.ts';
import { CallSession, type CallOutcome } from '../../../containers/session/call-session.ts';
import { FrameReader, writeFrame } from '../../../containers/sidecar/frames.ts';
import { type SidecarMessage, type HostMessage, failedAnswer } from '../../../containers/sidecar/messages.ts';
import type { ContainerCall } from '../../../ports/containers.ts';

const ENDED = 'the process beside the container ended before the answer came';

const OVER = 'the call has ended';

/** The service's side of a sidecar: it owns the client that is attached to the sidecar's container. */
export class Sidecar {
  /** Resolves when localhost:8889 is served; rejects when the sidecar ends before that. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #running = new Map<string, CallSession>();
  readonly #probes = new Map<number, (isUp: boolean) => void>();
  #probed = 0;
  #words = '';
  #hasEnded = false;
  #onReady: () => void = () => undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    const reader = new FrameReader<SidecarMessage>();
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
  async call(call: ContainerCall, entries: readonly FileEntry[]): Promise<CallOutcome> {
    if (this.#hasEnded) return { answered: failedAnswer(ENDED), body: Buffer.alloc(0), outputs: [] };
    const conversation = new CallSession(call, (message, body) => this.#send(message, body));
    this.#running.set(call.actionId, conversation);
    conversation.start(entries);
    return conversation.outcome;
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

  #send(message: HostMessage, body?: Uint8Array): void {
    if (this.#child.stdin?.writable) writeFrame(this.#child.stdin, message, body);
  }

  #giveUp(): void {
    this.#hasEnded = true;
    for (const settle of this.#probes.values()) settle(false);
    for (const conversation of this.#running.values()) conversation.finish(failedAnswer(ENDED));
    this.#probes.clear();
    this.#running.clear();
  }

  #handle(message: SidecarMessage, body: Buffer): void {
    if (message.say === 'ready') this.#onReady();
    else if (message.say === 'probed') this.#probes.get(message.id)?.(message.isUp);
    else if (message.say !== 'alive') this.#hear(message, body);
  }

  #hear(message: Extract<SidecarMessage, { say: 'ask' | 'log' | 'output' | 'done' }>, body: Buffer): void {
    const id = message.say === 'ask' ? message.actionId : message.id;
    const conversation = this.#running.get(id);
    if (message.say === 'done') this.#running.delete(id);
    if (conversation !== undefined) void conversation.receive(message, body);
    else if (message.say === 'ask') this.#send({ do: 'answer', id: message.id, status: 500 }, Buffer.from(OVER));
  }
}
