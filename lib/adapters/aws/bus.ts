import { createHash } from 'node:crypto';
import { EventBridgeClient, PutEventsCommand, type PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import { ExecutionAlreadyExists, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Bus, Message } from '../../ports/bus.ts';
import { backoffMs, type Sleep, systemSleep } from '../portable/retry.ts';
import { stepFunctionsClient } from './executions/executions.ts';

/** The resources of the deployment that the bus uses, and replacements for tests. */
export interface EventBridgeBusOptions {
  /**
   * The name or ARN of the bus. It must exist: EventBridge drops an event for a missing bus silently (aws-facts 1.2).
   */
  readonly busName: string;
  /** The source of Weft's messages, by which the router's rule selects them: `<brand>.namespaces`. */
  readonly source: string;
  /** The state machine that waits and then publishes. */
  readonly delayMachineArn: string;
  readonly client?: EventBridgeClient;
  readonly sfn?: SFNClient;
  /** Waits before a retry; by the timer of the system if not given. */
  readonly sleep?: Sleep;
}

type Entry = { readonly [Name in 'EventBusName' | 'Source' | 'DetailType' | 'Detail']: string };

/** Limits of one PutEvents request (aws-facts 1.2): entries, and bytes without the envelope of a delivery. */
const MAX_ENTRIES = 10;
const MAX_BYTES = 1_000_000;
const MAX_DETAIL_TYPE_LENGTH = 128;
/** An input of Step Functions has at most 262,144 bytes (aws-facts 1.1), with the fields around the message. */
const MAX_DELAYED_BYTES = 260_000;

/** Errors for which a retry is useless. */
const FINAL = new Set([
  'InvalidArgument',
  'MalformedDetail',
  'InvalidAccountIdException',
  'NotAuthorizedForDetailTypeException',
  'NotAuthorizedForSourceException',
  'NotAuthorizedForSource',
]);
const MAX_ATTEMPTS = 8;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;

/** A valid name of an execution of Step Functions. */
const EXECUTION_NAME = /^[\w-]{1,80}$/;

const bytesOf = (text: string): number => Buffer.byteLength(text);
/** The size of an entry as EventBridge computes it, for entries without time and resources. */
const sizeOf = ({ Source, DetailType, Detail }: Entry): number =>
  bytesOf(Source) + bytesOf(DetailType) + bytesOf(Detail);

/**
 * The bus in EventBridge. A message is an event: its detail is the message, its detail-type the first 128 characters of
 * the message's type. A delayed message waits in an execution of the delay machine, for at most a year; a second one
 * with the same name is ignored until 90 days after the end of the first. A message that is too large is sent without
 * `event`: the router reads the record. `publish` throws when EventBridge rejects a message for good or after all
 * retries; other messages of the call may have been accepted.
 */
export function eventBridgeBus(options: EventBridgeBusOptions): Bus {
  const client = options.client ?? new EventBridgeClient({ retryMode: 'standard', maxAttempts: 6 });
  const sfn = options.sfn ?? stepFunctionsClient();
  const sleep = options.sleep ?? systemSleep;
  return {
    async publish(messages) {
      const entries = messages.map((message) => entryOf(options, message, MAX_BYTES));
      for (const batch of batchesOf(entries)) await putAll(client, batch, sleep);
    },
    publishAt: (at, name, message) => delay(sfn, options, { at, name, message }),
  };
}

function entryOf({ busName, source }: EventBridgeBusOptions, message: Message, mostBytes: number): Entry {
  const entry = {
    EventBusName: busName,
    Source: source,
    DetailType: message.type.slice(0, MAX_DETAIL_TYPE_LENGTH).toWellFormed(),
    Detail: JSON.stringify(message),
  };
  if (sizeOf(entry) <= mostBytes) return entry;
  const { event: _, ...small } = message;
  return { ...entry, Detail: JSON.stringify(small) };
}

/** The entries in batches for one request each, in their order. */
function batchesOf(entries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const batch = batches.at(-1);
    bytes += sizeOf(entry);
    if (batch !== undefined && batch.length < MAX_ENTRIES && bytes <= MAX_BYTES) {
      batch.push(entry);
      continue;
    }
    batches.push([entry]);
    bytes = sizeOf(entry);
  }
  return batches;
}

/** Sends a batch. A request may succeed for some entries only: the others are sent again. */
async function putAll(client: EventBridgeClient, batch: readonly Entry[], sleep: Sleep): Promise<void> {
  let left = batch;
  for (let tries = 1; ; tries++) {
    const { Entries: results = [] } = await client.send(new PutEventsCommand({ Entries: [...left] }));
    const rejected = left.flatMap((entry, index) => {
      const result = results[index];
      return result?.EventId === undefined ? [{ entry, result }] : [];
    });
    if (rejected.length === 0) return;
    const final = rejected.find(({ result }) => FINAL.has(result?.ErrorCode ?? ''));
    if (final !== undefined || tries >= MAX_ATTEMPTS) throw rejectionOf((final ?? rejected[0])?.result);
    left = rejected.map(({ entry }) => entry);
    await sleep(backoffMs(tries, FIRST_DELAY_MS, MAX_DELAY_MS));
  }
}

function rejectionOf({ ErrorCode, ErrorMessage }: PutEventsResultEntry = {}): Error {
  return new Error(`EventBridge rejected a message: ${ErrorCode ?? 'it gave no id'}: ${ErrorMessage ?? ''}`);
}

interface Delayed {
  readonly at: number;
  readonly name: string;
  readonly message: Message;
}

/** Starts the delay machine with the time and the fields of the entry. */
async function delay(sfn: SFNClient, options: EventBridgeBusOptions, { at, name, message }: Delayed): Promise<void> {
  const { Source, DetailType, Detail } = entryOf(options, message, MAX_DELAYED_BYTES);
  // The detail is an object here: the PutEvents integration of Step Functions serializes it.
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
