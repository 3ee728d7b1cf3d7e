import { blobs, meter, table } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { aboutCall, noteFailure } from '../../lib/engine/events/failed-calls.ts';
import { isObject } from '../../lib/language/json.ts';

/** What Lambda tells of a call that nobody waited for and that failed for good. */
interface FailedCall {
  /** RFC 3339. */
  readonly timestamp: string;
  readonly requestContext: { readonly functionArn: string; readonly approximateInvokeCount: number };
  readonly requestPayload: unknown;
  /** Absent when the call was too old to be made. */
  readonly responsePayload?: { readonly errorType?: string; readonly errorMessage?: string } | null;
}

/** What EventBridge and its scheduler put into the queue: what they could not deliver, and why, in attributes. */
interface Undelivered {
  readonly Body: string;
  readonly Attributes?: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
}

type Told = FailedCall | { readonly Messages: readonly Undelivered[] };

async function note(payload: unknown, failed: number, tries: number, error: string, to?: string): Promise<void> {
  const isKept = await noteFailure(
    { table: table(), blobs: blobs(), meter: meter() },
    payload,
    { failed, tries, error },
    to,
  );
  if (!isKept) console.error('a call failed for good, and no namespace is concerned', { payload, error, to });
}

async function noteCall({ timestamp, requestContext, requestPayload, responsePayload }: FailedCall): Promise<void> {
  const { errorType = 'Error', errorMessage = 'the call was not made in time' } = responsePayload ?? {};
  const error = `${errorType}: ${errorMessage}`;
  await note(requestPayload, Date.parse(timestamp), requestContext.approximateInvokeCount, error);
}

const isCall = (value: unknown): value is FailedCall => isObject(value) && 'requestContext' in value;

/** A target that is no function of ours is a subscriber's. */
const OURS = /:lambda:/;

async function noteMessage({ Body, Attributes = {}, MessageAttributes = {} }: Undelivered): Promise<void> {
  const body: unknown = JSON.parse(Body);
  if (isCall(body)) return noteCall(body);
  const told = (name: string): string | undefined => MessageAttributes[name]?.StringValue;
  const target = told('TARGET_ARN') ?? '';
  const error = `${told('ERROR_CODE') ?? 'Error'}: ${told('ERROR_MESSAGE') ?? 'it could not be delivered'}`;
  const tries = Number(told('RETRY_ATTEMPTS') ?? 0) + 1;
  await note(body, Number(Attributes['SentTimestamp'] ?? 0), tries, error, OURS.test(target) ? '' : target);
}

/** What Lambda calls when another function failed for good, and what empties the queue once a day. */
export const handler = withFaultLog(
  async (told: Told): Promise<void> => {
    if (isCall(told)) return noteCall(told);
    for (const message of told.Messages) await noteMessage(message);
  },
  { about: (told) => (isCall(told) ? aboutCall(told.requestPayload) : {}), meter },
);
