import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { writeFrame } from '../frames.ts';
import type { SendToHost } from '../function-calls.ts';
import type { HostSession } from '../host-session.ts';
import { CANCELLED, type FunctionAnswer, type SidecarMessage, TOO_LONG } from '../messages.ts';
import type { HostReply } from '../requests.ts';
import { ChannelReader, decodeFrames, fetchObject, waitForObject } from './channel-reader.ts';
import type { CallEvent } from './event.ts';
import { describeExit, type Program, type ProgramExit } from './program.ts';
import type { StreamedResponse } from './runtime-api.ts';
import { objectReader } from './storage.ts';

/** Timeouts and intervals of a call, milliseconds. */
export interface CallTimeouts {
  /** From the start of the call until the function accepts connections. */
  readonly listenMs: number;
  /** From the notification of the function that the call is cancelled until its request is aborted. */
  readonly cancelMs: number;
  /** The interval at which the sidecar polls for a cancellation. */
  readonly pollMs: number;
}

/** Owns the process of the container's program. */
export interface ProgramOwner {
  readonly program: Program;
  /** Starts the program again. */
  restart(): Program;
}

/** The parts of a call on Lambda. */
export interface LambdaCallProps {
  readonly event: CallEvent;
  readonly response: StreamedResponse;
  readonly session: HostSession;
  readonly owner: ProgramOwner;
  readonly timeouts: CallTimeouts;
}

/** The time between the end of an aborted call and Lambda's own deadline, milliseconds. */
const RESERVE_MS = 3_000;
const KEEP_ALIVE_MS = 1_000;
/** A lost connection is usually followed by the end of the program, which is reported a moment later. */
const EXIT_REPORT_MS = 1_000;
const DISCONNECTED = 'the connection to the service ended';
const OVER: HostReply = { status: 500, body: 'the call has ended' };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** One call in an execution environment of Lambda (docs/decisions/030). */
export class LambdaCall {
  readonly #props: LambdaCallProps;
  readonly #channel: ChannelReader;
  /** Aborted when the call is cancelled; its reason is for the user. */
  readonly #cancelled = new AbortController();
  readonly #over = new AbortController();
  readonly #read = objectReader(this.#over.signal);
  readonly #finished = Promise.withResolvers<void>();

  constructor(props: LambdaCallProps) {
    const { event, response, session } = props;
    this.#props = props;
    this.#channel = new ChannelReader({
      read: this.#read,
      url: event.next,
      signal: this.#over.signal,
      isAwaited: () => session.pendingRequests > 0,
      onMessage: (message, body) => session.handle(message, body),
      onMiss: () => this.#flush(),
    });
    // Each log entry that waits for the stream adds a listener.
    response.stream.setMaxListeners(0);
  }

  /** Calls the function. Resolves when all messages of the call are written. */
  async run(lambdaDeadline: number): Promise<void> {
    const timers = this.#startTimers(lambdaDeadline);
    try {
      this.#write({ say: 'ready' });
      await this.#start();
      await this.#finished.promise;
      // The output that the program wrote before its answer is forwarded before Lambda freezes the environment.
      await nextTurn();
    } finally {
      timers.forEach(clearTimeout);
      this.#over.abort();
      this.#props.session.replyToAll(OVER);
      this.#props.response.stream.end();
    }
  }

  /** Sends a message to the service. */
  readonly send: SendToHost = (message, body) => {
    if (message.say === 'done') void this.#end(message.id, message.answered, body);
    else this.#write(message, body);
    if (message.say !== 'ask') return;
    setImmediate(() => this.#flush());
    this.#channel.run().catch((error: unknown) => {
      const problem = `the answer cannot be fetched: ${messageOf(error)}`;
      this.#props.session.replyToAll({ status: 500, body: problem });
    });
  };

  /** Writes a log entry, which has no response of the service. Resolves when the next one may follow (backpressure). */
  async log(text: Uint8Array): Promise<HostReply> {
    const { event, response } = this.#props;
    const { stream } = response;
    if (!stream.writable) return { status: 500, body: DISCONNECTED };
    this.#write({ say: 'log', id: event.actionId }, text);
    if (stream.writableNeedDrain) await once(stream, 'drain', { signal: this.#over.signal }).catch(() => undefined);
    return { status: 200 };
  }

  #write(message: SidecarMessage, body?: Uint8Array): void {
    // A broken connection is handled where the response ends.
    const { stream } = this.#props.response;
    if (stream.writable) writeFrame(stream, message, body);
  }

  /** Lambda may hold back the last frame of a stream until another follows. */
  #flush(): void {
    this.#write({ say: 'alive' });
  }

  async #start(): Promise<void> {
    const { event, session } = this.#props;
    const { signal } = this.#cancelled;
    try {
      const { frames } = event;
      const bytes =
        'url' in frames ? await fetchObject(this.#read, frames.url, signal) : Buffer.from(frames.base64, 'base64');
      await this.#waitUntilListening();
      signal.throwIfAborted();
      session.clear(event.actionId);
      for (const { head, body } of decodeFrames(bytes)) if (head.do !== 'next') session.handle(head, body);
    } catch (error) {
      session.fail(event.actionId, messageOf(signal.aborted ? signal.reason : error));
    }
  }

  /** Resolves when the function accepts connections. Throws with a message for the user. */
  async #waitUntilListening(): Promise<void> {
    const { owner, timeouts } = this.#props;
    const former = await this.#probeOrExit(owner.program);
    // A program that ended between two calls is started again for this one.
    const found = typeof former === 'object' ? await this.#probeOrExit(owner.restart()) : former;
    if (typeof found === 'object') throw new Error(describeExit(found, 'before it listened on port 8080'));
    if (found) return;
    const seconds = Math.round(timeouts.listenMs / 1000);
    throw new Error(`the container did not listen on port 8080 within ${seconds} seconds`);
  }

  /** Whether the function accepts connections in time, or how its program ended before that. */
  async #probeOrExit(program: Program): Promise<boolean | ProgramExit> {
    const { session, timeouts } = this.#props;
    const over = new AbortController();
    const signal = AbortSignal.any([this.#cancelled.signal, over.signal]);
    try {
      return await Promise.race([program.ended, session.calls.probe(timeouts.listenMs, signal)]);
    } finally {
      over.abort();
    }
  }

  async #end(id: string, answered: FunctionAnswer, body?: Uint8Array): Promise<void> {
    const { program } = this.#props.owner;
    const isLost = answered.isLost === true;
    const exit = isLost ? await Promise.race([program.ended, sleep(EXIT_REPORT_MS)]) : undefined;
    const problem = exit === undefined ? answered.problem : describeExit(exit, 'before it answered');
    this.#write({ say: 'done', id, answered: { ...answered, problem } }, body);
    this.#finished.resolve();
  }

  #startTimers(lambdaDeadline: number): readonly NodeJS.Timeout[] {
    const { event, response, timeouts } = this.#props;
    const { deadline, late, cancel: url } = event;
    const latest = lambdaDeadline - timeouts.cancelMs - RESERVE_MS;
    const [at, problem] = deadline <= latest ? [deadline, late] : [latest, TOO_LONG];
    const { signal } = this.#over;
    waitForObject(this.#read, { url, intervalMs: timeouts.pollMs, signal }).then(
      () => this.#cancel(CANCELLED),
      (error: unknown) => {
        if (!signal.aborted) console.error(`cannot poll for the cancellation of the call: ${messageOf(error)}`);
      },
    );
    void response.received.then(() => this.#cancel(DISCONNECTED));
    const timer = setTimeout(() => this.#cancel(problem), Math.max(0, at - Date.now()));
    return [timer, setInterval(() => this.#flush(), KEEP_ALIVE_MS)];
  }

  #cancel(problem: string): void {
    const { event, session, timeouts } = this.#props;
    this.#cancelled.abort(problem);
    session.calls.cancel(event.actionId, timeouts.cancelMs, problem);
  }
}
