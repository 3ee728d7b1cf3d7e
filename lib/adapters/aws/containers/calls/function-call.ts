import {
  InvokeWithResponseStreamCommand,
  type InvokeWithResponseStreamResponseEvent,
  LambdaClient,
  type LambdaClientConfig,
} from '@aws-sdk/client-lambda';
import { toResult } from '../../../../containers/session/answers.ts';
import { entriesOf } from '../../../../containers/session/archives.ts';
import { CallSession } from '../../../../containers/session/call-session.ts';
import { FrameReader } from '../../../../containers/sidecar/frames.ts';
import type { CallEvent } from '../../../../containers/sidecar/lambda/event.ts';
import {
  CANCELLED,
  failedAnswer,
  LATE,
  type SidecarMessage,
  TOO_LONG,
} from '../../../../containers/sidecar/messages.ts';
import type { ContainerCall, ContainerResult } from '../../../../ports/containers.ts';
import { backoffMs } from '../../../portable/retry.ts';
import { Channel } from './channel.ts';
import { ChannelWriter } from './channel-writer.ts';
import { type CallLimits, FunctionMissingError, type Invoke, type Transport } from './transport.ts';

/** An event has at most 6 MB (aws-facts 1.4); base64 adds a third, and the event also carries two URLs. */
const MAX_INLINE_BYTES = 4 * 1024 * 1024;

/** Errors with which Lambda rejected a call before it started, or was not reached: the call may be repeated. */
const NOT_STARTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'TooManyRequestsException',
  'ResourceNotReadyException',
  'ResourceConflictException',
  'CodeArtifactUserPendingException',
]);

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;

/** Errors of Lambda, and the same in words for the user. */
const CRASHES: readonly (readonly [RegExp, string])[] = [
  [
    /ResponseSizeTooLarge|response (payload )?size|StreamLimit/i,
    'the container said more than the 200 MB that AWS Lambda passes on in one call: its answer, its outputs, and the variables and log entries that it wrote',
  ],
  [/timed ?out/i, TOO_LONG],
  [/ExitError|OutOfMemory|exited|signal/i, 'the container ended before it answered'],
];

const BROKE_OFF = 'the connection to the container ended before the answer was complete';

type ResponseEvents = AsyncIterable<InvokeWithResponseStreamResponseEvent>;
type Completion = NonNullable<InvokeWithResponseStreamResponseEvent['InvokeComplete']>;

/** A call failed; the message is for the user, in place of an answer. */
class CallFailedError extends Error {
  override readonly name = 'CallFailedError';
}

/** Invokes containers through a client of Lambda. */
export const invoker =
  (client = clientForCalls()): Invoke =>
  (transport, version, call, limits) =>
    new FunctionCall({ transport: { client, ...transport }, version, call, limits }).run();

const NEW_CONNECTION = { keepAlive: false };

/**
 * A client of Lambda without retries of its own: only a call that did not start may be repeated, which is decided here.
 * Each call has its own connection: one that was open before this process was frozen may break during a call, which
 * cannot be distinguished from a call that the container received.
 */
export const clientForCalls = (config: LambdaClientConfig = {}): LambdaClient =>
  new LambdaClient({
    ...config,
    maxAttempts: 1,
    requestHandler: { httpAgent: NEW_CONNECTION, httpsAgent: NEW_CONNECTION },
  });

interface FunctionCallProps {
  readonly transport: Transport;
  readonly version: string;
  readonly call: ContainerCall;
  readonly limits: CallLimits;
}

/** One call of a version of a function; its sidecar is served meanwhile. */
class FunctionCall {
  readonly #props: FunctionCallProps;
  readonly #channel: Channel;
  readonly #writer: ChannelWriter;
  readonly #session: CallSession;
  readonly #channelFailed = new AbortController();
  /** After this signal the response is not read any more. */
  readonly #end: AbortSignal;

  constructor(props: FunctionCallProps) {
    const { transport, call, limits } = props;
    this.#props = props;
    this.#channel = new Channel(transport.store, call.actionId);
    this.#writer = new ChannelWriter(this.#channel, (problem) => {
      this.#session.finish(failedAnswer(`the container could not be answered: ${problem}`));
      this.#channelFailed.abort();
    });
    this.#session = new CallSession(call, (message, body) => this.#writer.add(message, body));
    this.#end = AbortSignal.any([limits.end, this.#channelFailed.signal]);
  }

  /**
   * A call that Lambda does not start is retried until the signal `begin`. A call that broke off is not, because the
   * container may have done its work. Throws the reasons of the signals, and FunctionMissingError.
   */
  async run(): Promise<ContainerResult> {
    const { limits } = this.#props;
    let wasCancelled = false;
    try {
      await this.#startAndRead().catch((error: unknown) => {
        limits.end.throwIfAborted();
        if (!(error instanceof CallFailedError) && !this.#channelFailed.signal.aborted) throw error;
        this.#session.finish(failedAnswer((error as Error).message));
      });
      const outcome = await this.#session.outcome;
      wasCancelled = outcome.answered.problem === CANCELLED;
      return toResult(outcome);
    } finally {
      // A lifecycle rule of the bucket removes objects that stay.
      await this.#channel.removeObjects(wasCancelled || limits.begin.aborted).catch(() => undefined);
    }
  }

  async #startAndRead(): Promise<void> {
    const { transport, call, limits } = this.#props;
    const entries = await entriesOf(call.files).catch(({ message }: Error) => {
      throw new CallFailedError(message);
    });
    this.#session.start(entries);
    const opening = this.#writer.open();
    if (opening.length > MAX_INLINE_BYTES) await this.#channel.put(0, opening);
    for (let attempt = 1; ; attempt += 1) {
      limits.begin.throwIfAborted();
      const events = await this.#start(await this.#event(opening));
      if (events !== undefined) return this.#read(events);
      await transport.sleep(backoffMs(attempt, FIRST_DELAY_MS, MAX_DELAY_MS), limits.begin);
    }
  }

  /** The event carries the first frames, or the URL of those that it has no room for, and the URL of the next ones. */
  async #event(opening: Buffer): Promise<CallEvent> {
    const { call, limits } = this.#props;
    const isLarge = opening.length > MAX_INLINE_BYTES;
    return {
      weft: 'call',
      actionId: call.actionId,
      deadline: call.deadline,
      late: limits.late ?? LATE,
      frames: isLarge ? { url: await this.#channel.urlOf(0) } : { base64: opening.toString('base64') },
      next: await this.#channel.urlOf(1),
      cancel: await this.#channel.cancelUrl(),
    };
  }

  /** Undefined: Lambda did not start the call. Throws CallFailedError, FunctionMissingError and the signal's reason. */
  async #start(event: CallEvent): Promise<ResponseEvents | undefined> {
    const { transport, version: FunctionName } = this.#props;
    const command = new InvokeWithResponseStreamCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(event)) });
    try {
      const { EventStream } = await transport.client.send(command, { abortSignal: this.#end });
      if (EventStream === undefined) throw new Error('there is no answer');
      return EventStream;
    } catch (error) {
      this.#end.throwIfAborted();
      const { name, message, code = '' } = error as Error & { readonly code?: string };
      if (name === 'ResourceNotFoundException') throw new FunctionMissingError(message);
      if (NOT_STARTED.has(name) || NOT_STARTED.has(code)) return undefined;
      // Further lines are about fields of the SDK.
      throw new CallFailedError(`AWS Lambda did not carry out the call: ${name}: ${message.split('\n')[0]}`);
    }
  }

  /** Reads the frames of the sidecar to the end of the response. A response that breaks off ends the session. */
  async #read(events: ResponseEvents): Promise<void> {
    try {
      const reader = new FrameReader<SidecarMessage>();
      for await (const { PayloadChunk, InvokeComplete } of events) {
        const bytes = PayloadChunk?.Payload ?? new Uint8Array();
        for (const { head, body } of reader.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))) {
          await this.#session.receive(head, body);
        }
        if (InvokeComplete?.ErrorCode !== undefined) this.#session.finish(failedAnswer(describeCrash(InvokeComplete)));
      }
      this.#session.finish(failedAnswer(BROKE_OFF));
    } catch (error) {
      this.#end.throwIfAborted();
      this.#session.finish(failedAnswer(`${BROKE_OFF}: ${(error as Error).message}`));
    }
  }
}

/** The sidecar ended, or ran for too long. */
function describeCrash({ ErrorCode = '', ErrorDetails = '' }: Completion): string {
  const problem = CRASHES.find(([sign]) => sign.test(`${ErrorCode} ${ErrorDetails}`))?.[1] ?? 'the container failed';
  return `${problem}: ${ErrorDetails === '' ? ErrorCode : ErrorDetails.slice(0, 1_000)}`;
}
