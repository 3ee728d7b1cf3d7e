import { createHash } from 'node:crypto';
import { EventBridgeClient, PutEventsCommand, type PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import { ExecutionAlreadyExists, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Bus, Message } from '../../ports/bus.ts';
import { stepFunctionsClient } from './executions/executions.ts';

export interface EventBridgeBusOptions {
  /** Its name or ARN. It must be there: a message for a bus that is not is lost without a word (aws-facts 1.2). */
  readonly busName: string;
  /** By this the router's rule knows our messages from what others put on the bus: `<brand>.namespaces`. */
  readonly source: string;
  /** The machine that waits and then publishes. */
  readonly delayMachineArn: string;
  readonly client?: EventBridgeClient;
  readonly sfn?: SFNClient;
  /** Waits before another try (milliseconds); by the system's timer if not given. */
  readonly pause?: Pause;
}

type Pause = (milliseconds: number) => Promise<unknown>;

type Entry = { readonly [Name in 'EventBusName' | 'Source' | 'DetailType' | 'Detail']: string };

/** Limits of PutEvents (aws-facts 1.2): entries and, for all together, bytes, less what the envelope of a delivery takes. */
const MOST_ENTRIES = 10;
const MOST_BYTES = 1_000_000;
const LONGEST_DETAIL_TYPE = 128;
/** What Step Functions takes as an input is 262,144 bytes (aws-facts 1.1), the names around the message included. */
const MOST_DELAYED_BYTES = 260_000;

/** Refusals that no repetition changes. */
const FINAL = new Set([
  'InvalidArgument',
  'MalformedDetail',
  'InvalidAccountIdException',
  'NotAuthorizedForDetailTypeException',
  'NotAuthorizedForSourceException',
  'NotAuthorizedForSource',
]);
const MOST_TRIES = 8;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** A name that Step Functions takes for an execution as it is. */
const EXECUTION_NAME = /^[\w-]{1,80}$/;

const bytesOf = (text: string): number => Buffer.byteLength(text);
/** How EventBridge counts an entry without time and resources. */
const sizeOf = ({ Source, DetailType, Detail }: Entry): number =>
  bytesOf(Source) + bytesOf(DetailType) + bytesOf(Detail);
const sleep: Pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * The bus in EventBridge: a message is an event whose detail is the message and whose detail-type is its type (the
 * first 128 characters). One that is to be published later waits in an execution of the delay machine, for a year at
 * most; a second of the same name is not begun within 90 days of the end of the first. What is too large for the way
 * travels without `event`: the router reads the record.
 * @throws Error (publish) when EventBridge refuses a message for good, or all of many tries; others may have been accepted.
 */
export function eventBridgeBus(options: EventBridgeBusOptions): Bus {
  const client = options.client ?? new EventBridgeClient({ retryMode: 'standard', maxAttempts: 6 });
  const sfn = options.sfn ?? stepFunctionsClient();
  const pause = options.pause ?? sleep;
  return {
    async publish(messages) {
      const entries = messages.map((message) => entryOf(options, message, MOST_BYTES));
      for (const batch of batchesOf(entries)) await putAll(client, batch, pause);
    },
    publishAt: (at, name, message) => delay(sfn, options, { at, name, message }),
  };
}

function entryOf({ busName, source }: EventBridgeBusOptions, message: Message, mostBytes: number): Entry {
  const entry = {
    EventBusName: busName,
    Source: source,
    DetailType: message.type.slice(0, LONGEST_DETAIL_TYPE).toWellFormed(),
    Detail: JSON.stringify(message),
  };
  if (sizeOf(entry) <= mostBytes) return entry;
  const { event: _, ...small } = message;
  return { ...entry, Detail: JSON.stringify(small) };
}

/** As many in a batch as one request may carry, in their order. */
function batchesOf(entries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const batch = batches.at(-1);
    bytes += sizeOf(entry);
    if (batch !== undefined && batch.length < MOST_ENTRIES && bytes <= MOST_BYTES) {
      batch.push(entry);
      continue;
    }
    batches.push([entry]);
    bytes = sizeOf(entry);
  }
  return batches;
}

/** A request succeeds although entries of it fail; those alone are put again. */
async function putAll(client: EventBridgeClient, batch: readonly Entry[], pause: Pause): Promise<void> {
  let left = batch;
  for (let tries = 1; ; tries++) {
    const { Entries: results = [] } = await client.send(new PutEventsCommand({ Entries: [...left] }));
    const refused = left.flatMap((entry, index) => {
      const result = results[index];
      return result?.EventId === undefined ? [{ entry, result }] : [];
    });
    if (refused.length === 0) return;
    const final = refused.find(({ result }) => FINAL.has(result?.ErrorCode ?? ''));
    if (final !== undefined || tries >= MOST_TRIES) throw refusalOf((final ?? refused[0])?.result);
    left = refused.map(({ entry }) => entry);
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
    await pause((Math.random() + 0.5) * longest);
  }
}

function refusalOf({ ErrorCode, ErrorMessage }: PutEventsResultEntry = {}): Error {
  return new Error(`EventBridge refused a message: ${ErrorCode ?? 'it gave no id'}: ${ErrorMessage ?? ''}`);
}

interface Delayed {
  readonly at: number;
  readonly name: string;
  readonly message: Message;
}

/** The machine's input: when, and the entry but for the bus, which the machine knows. */
async function delay(sfn: SFNClient, options: EventBridgeBusOptions, { at, name, message }: Delayed): Promise<void> {
  const { Source, DetailType, Detail } = entryOf(options, message, MOST_DELAYED_BYTES);
  // The detail goes in as an object: the service's own way to PutEvents makes it a text.
  const input = `{"at":"${new Date(at).toISOString()}","source":${JSON.stringify(Source)},"type":${JSON.stringify(DetailType)},"detail":${Detail}}`;
  try {
    await sfn.send(
      new StartExecutionCommand({ stateMachineArn: options.delayMachineArn, name: executionName(name), input }),
    );
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
}

function executionName(name: string): string {
  return EXECUTION_NAME.test(name) ? name : createHash('sha256').update(name).digest('base64url');
}
