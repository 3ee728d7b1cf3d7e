import {
  InvokeWithResponseStreamCommand,
  type InvokeWithResponseStreamResponseEvent,
  LambdaClient,
  type LambdaClientConfig,
} from '@aws-sdk/client-lambda';
import { resultOf } from '../../../containers/session/answers.ts';
import { entriesOf } from '../../../containers/session/archives.ts';
import { Conversation } from '../../../containers/session/call-session.ts';
import type { CallEvent } from '../../../containers/sidecar/event.ts';
import { FrameReader } from '../../../containers/sidecar/frames.ts';
import { CANCELLED, type FromBeside, LATE, TOO_LONG, unanswered } from '../../../containers/sidecar/messages.ts';
import type { ContainerCall, ContainerResult } from '../../../ports/containers.ts';
import { type Bounds, type Invoke, type Line, Lost } from './line.ts';
import { Mailbox } from './mailbox.ts';
import { Outbox } from './outbox.ts';

/** An event has at most 6 MB (aws-facts 1.4), base64 makes a third more of it, and two addresses go with it. */
const MOST_INLINE_BYTES = 4 * 1024 * 1024;

/** Lambda refused to begin, or was not reached: the container did not run, and the call may be made again. */
const NOT_BEGUN: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'TooManyRequestsException',
  'ResourceNotReadyException',
  'ResourceConflictException',
  'CodeArtifactUserPendingException',
]);

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/** Words of Lambda for what users meet, as users know it. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /ResponseSizeTooLarge|response (payload )?size|StreamLimit/i,
    'the container said more than the 200 MB that AWS Lambda passes on in one call: its answer, its outputs, and the variables and log entries that it wrote',
  ],
  [/timed ?out/i, TOO_LONG],
  [/ExitError|OutOfMemory|exited|signal/i, 'the container ended before it answered'],
];

type Complete = NonNullable<InvokeWithResponseStreamResponseEvent['InvokeComplete']>;

/** The program beside the container ended, or ran for too long. */
function crashOf({ ErrorCode = '', ErrorDetails = '' }: Complete): string {
  const words = WORDS.find(([sign]) => sign.test(`${ErrorCode} ${ErrorDetails}`))?.[1] ?? 'the container failed';
  return `${words}: ${ErrorDetails === '' ? ErrorCode : ErrorDetails.slice(0, 1_000)}`;
}

const BROKE_OFF = 'the connection to the container ended before the answer was complete';

type Events = AsyncIterable<InvokeWithResponseStreamResponseEvent>;

async function hear(events: Events, conversation: Conversation): Promise<void> {
  const reader = new FrameReader<FromBeside>();
  for await (const { PayloadChunk, InvokeComplete } of events) {
    const bytes = PayloadChunk?.Payload ?? new Uint8Array();
    for (const { head, body } of reader.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))) {
      await conversation.hear(head, body);
    }
    if (InvokeComplete?.ErrorCode !== undefined) conversation.end(unanswered(crashOf(InvokeComplete)));
  }
  conversation.end(unanswered(BROKE_OFF));
}

/** Hears what a container says until there is no more of it. What breaks off is not begun anew. Throws what `end` says. */
async function listen(events: Events, conversation: Conversation, end: AbortSignal): Promise<void> {
  try {
    await hear(events, conversation);
  } catch (error) {
    end.throwIfAborted();
    conversation.end(unanswered(`${BROKE_OFF}: ${(error as Error).message}`));
  }
}

/** The first frames of a call, or where those are that an event has no room for; and where the others will be. */
async function eventOf(
  mailbox: Mailbox,
  { actionId, deadline }: ContainerCall,
  late: string,
  opening: Buffer,
): Promise<CallEvent> {
  const isLarge = opening.length > MOST_INLINE_BYTES;
  return {
    weft: 'call',
    actionId,
    deadline,
    late,
    frames: isLarge ? { url: await mailbox.addressOf(0) } : { base64: opening.toString('base64') },
    next: await mailbox.addressOf(1),
    cancel: await mailbox.cancelAddress(),
  };
}

/** Undefined: Lambda refused to begin. Throws what is to be told to the user, what `end` says, and Lost. */
async function begin(client: LambdaClient, FunctionName: string, event: CallEvent, end: AbortSignal) {
  const command = new InvokeWithResponseStreamCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(event)) });
  try {
    const { EventStream } = await client.send(command, { abortSignal: end });
    if (EventStream === undefined) throw new Error('there is no answer');
    return EventStream;
  } catch (error) {
    end.throwIfAborted();
    const { name, message, code = '' } = error as Error & { readonly code?: string };
    if (name === 'ResourceNotFoundException') throw new Lost(message);
    if (NOT_BEGUN.has(name) || NOT_BEGUN.has(code)) return undefined;
    // What the SDK says of its own fields is on further lines.
    throw new Failure(`AWS Lambda did not carry out the call: ${name}: ${message.split('\n')[0]}`);
  }
}

/** What to tell the user in place of an answer. */
class Failure extends Error {}

interface Way {
  readonly mailbox: Mailbox;
  readonly outbox: Outbox;
  readonly conversation: Conversation;
}

async function converse(line: Line, version: string, call: ContainerCall, way: Way, bounds: Bounds): Promise<void> {
  const { mailbox, outbox, conversation } = way;
  const entries = await entriesOf(call.files).catch(({ message }: Error) => {
    throw new Failure(message);
  });
  conversation.begin(entries);
  const opening = outbox.open();
  if (opening.length > MOST_INLINE_BYTES) await mailbox.put(0, opening);
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(LONGEST_PAUSE_MS, wait * 2)) {
    bounds.begin.throwIfAborted();
    const events = await begin(
      line.client,
      version,
      await eventOf(mailbox, call, bounds.late ?? LATE, opening),
      bounds.end,
    );
    if (events !== undefined) return listen(events, conversation, bounds.end);
    await line.pause((Math.random() + 0.5) * wait, bounds.begin);
  }
}

/**
 * Calls a version of a function, and does meanwhile what its container asks. What Lambda refused to begin is tried
 * again until `begin`; a call that broke off is not, as the container may have done its work. Throws what the signals
 * say, and Lost.
 */
export async function invoke(
  line: Line,
  version: string,
  call: ContainerCall,
  bounds: Bounds,
): Promise<ContainerResult> {
  const mailbox = new Mailbox(line.post, call.actionId);
  const unheard = new AbortController();
  const outbox = new Outbox(mailbox, (problem) => {
    conversation.end(unanswered(`the container could not be answered: ${problem}`));
    unheard.abort();
  });
  const conversation: Conversation = new Conversation(call, (message, body) => outbox.add(message, body));
  let wasCancelled = false;
  try {
    const end = AbortSignal.any([bounds.end, unheard.signal]);
    await converse(line, version, call, { mailbox, outbox, conversation }, { ...bounds, end }).catch(
      (error: unknown) => {
        bounds.end.throwIfAborted();
        if (!(error instanceof Failure) && !unheard.signal.aborted) throw error;
        conversation.end(unanswered((error as Error).message));
      },
    );
    const told = await conversation.told;
    wasCancelled = told.answered.problem === CANCELLED;
    return resultOf(told);
  } finally {
    // What stays is removed by a rule of the bucket.
    await mailbox.empty(wasCancelled || bounds.begin.aborted).catch(() => undefined);
  }
}

const ANEW = { keepAlive: false };

/**
 * A client of Lambda that does not repeat by itself: what may be made again is made again here. Each call has a
 * connection of its own: one that was open before this process stood still may break under a call, which nobody could
 * tell from a call that the container had taken.
 */
export const clientForCalls = (config: LambdaClientConfig = {}): LambdaClient =>
  new LambdaClient({ ...config, maxAttempts: 1, requestHandler: { httpAgent: ANEW, httpsAgent: ANEW } });

/** Calls by a client of Lambda. */
export const invoker =
  (client = clientForCalls()): Invoke =>
  (way, version, call, bounds) =>
    invoke({ client, ...way }, version, call, bounds);
