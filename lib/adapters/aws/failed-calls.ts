import { parseJson } from '../../language/json-numbers.ts';

/** The record that Lambda sends to the failure destination of an asynchronous call that exhausted its retries. */
interface DestinationRecord {
  /** RFC 3339. */
  readonly timestamp: string;
  readonly requestContext: { readonly functionArn: string; readonly approximateInvokeCount: number };
  /** The payload of the call. */
  readonly requestPayload: unknown;
  /** Absent when the call expired before it was made. */
  readonly responsePayload?: { readonly errorType?: string; readonly errorMessage?: string } | null;
}

/** A message of the dead-letter queue: a failed delivery of EventBridge or its scheduler; attributes have its cause. */
export interface QueueMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes?: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
}

/** The notice of failed calls that a function receives: a record of Lambda, or messages of the queue. */
export type FailureNotice = DestinationRecord | { readonly Messages: readonly QueueMessage[] };

/** An asynchronous call that exhausted its retries. */
export interface FailedCall {
  /** The payload of the call. */
  readonly payload: unknown;
  /** The target outside this installation that should have got it; empty for a function of this installation. */
  readonly to: string;
  /** `failed`: milliseconds since 1970. */
  readonly failure: { readonly failed: number; readonly tries: number; readonly error: string };
}

/** Whether a value is a record of Lambda. */
export const isRecord = (value: unknown): value is DestinationRecord =>
  typeof value === 'object' && value !== null && 'requestContext' in value;

/** The failed call of a record of Lambda. */
export function callOfRecord({
  timestamp,
  requestContext,
  requestPayload,
  responsePayload,
}: DestinationRecord): FailedCall {
  const { errorType = 'Error', errorMessage = 'the call was not made in time' } = responsePayload ?? {};
  const tries = requestContext.approximateInvokeCount;
  const failure = { failed: Date.parse(timestamp), tries, error: `${errorType}: ${errorMessage}` };
  return { payload: requestPayload, to: '', failure };
}

/** A target that is not a Lambda function is a subscriber's. */
const FUNCTION_ARN = /:lambda:/;

/** The failed call of a message of the queue. Throws SyntaxError when the message is not JSON. */
export function callOfMessage({ Body, Attributes = {}, MessageAttributes = {} }: QueueMessage): FailedCall {
  const body: unknown = parseJson(Body);
  if (isRecord(body)) return callOfRecord(body);
  const attribute = (name: 'TARGET_ARN' | 'ERROR_CODE' | 'ERROR_MESSAGE' | 'RETRY_ATTEMPTS'): string | undefined =>
    MessageAttributes[name]?.StringValue;
  const target = attribute('TARGET_ARN') ?? '';
  const error = `${attribute('ERROR_CODE') ?? 'Error'}: ${attribute('ERROR_MESSAGE') ?? 'it could not be delivered'}`;
  const tries = Number(attribute('RETRY_ATTEMPTS') ?? 0) + 1;
  const failure = { failed: Number(Attributes['SentTimestamp'] ?? 0), tries, error };
  return { payload: body, to: FUNCTION_ARN.test(target) ? '' : target, failure };
}

/** The payload of the failed call of a notice; undefined for messages of the queue. */
export const payloadOf = (notice: FailureNotice): unknown => (isRecord(notice) ? notice.requestPayload : undefined);
