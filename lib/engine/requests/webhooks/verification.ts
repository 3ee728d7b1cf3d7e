import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { HmacVerification, WebhookVerification } from '../../../compiler/plan/webhooks.ts';
import { isObject } from '../../../language/json.ts';
import { parseJson } from '../../../language/json-numbers.ts';
import { hasMoreNodes, MAX_NODES } from '../../../language/json-size.ts';
import { ownMember } from '../../../language/own-members.ts';
import { addDuration, parseDuration } from '../../../time/durations.ts';
import { MINUTE_MS } from '../../../time/units.ts';
import { signStandard } from '../../http/standard-webhooks.ts';
import type { WebhookRequest } from './request.ts';

/** A request that was verified. */
export interface Verified {
  /** The id of the delivery: a repeated one has the same; absent for a sender without such ids. */
  readonly delivery?: string;
}

/** The evidence for a verification: the values of its secrets by their names, and the present time in milliseconds. */
export interface Evidence {
  readonly secrets: ReadonlyMap<string, string>;
  readonly now: number;
}

type Check<K extends WebhookVerification['kind']> = (
  request: WebhookRequest,
  verification: Extract<WebhookVerification, { readonly kind: K }>,
  evidence: Evidence,
) => Verified | undefined;

/** How far the times of Stripe, Slack and Standard Webhooks may be from the present; all recommend five minutes. */
const TOLERANCE_MS = 5 * MINUTE_MS;

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares in constant time, whatever the lengths. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const TIMESTAMP = /^\d{1,12}$/;

/** Whether a text of seconds since 1970 is within the tolerance. */
const isRecent = (text: string, now: number, tolerance: number): boolean =>
  TIMESTAMP.test(text) && Math.abs(now - Number(text) * 1000) <= tolerance;

interface Signing {
  readonly secret: string;
  readonly algorithm: HmacVerification['algorithm'];
  readonly encoding: HmacVerification['encoding'];
  /** The text before the body in the signed bytes. */
  readonly before: string;
}

/** The HMAC over a body. */
export const sign = ({ secret, algorithm, encoding, before }: Signing, body: Uint8Array): string =>
  createHmac(algorithm, secret).update(before).update(body).digest(encoding);

/** The id of a delivery in a header; a request without it is no replay of another one. */
function deliveryIn({ headers }: WebhookRequest, header: string | undefined): Verified {
  const value = header === undefined ? undefined : ownMember(headers, header.toLowerCase());
  return value === undefined || value === '' ? {} : { delivery: value };
}

/** A text member of a JSON body; undefined also in a body with more values than may be parsed. */
function memberOf({ body }: WebhookRequest, name: string): string | undefined {
  if (hasMoreNodes(body, MAX_NODES)) return undefined;
  try {
    const value: unknown = parseJson(Buffer.from(body).toString('utf8'));
    const member = isObject(value) ? ownMember(value, name) : undefined;
    return typeof member === 'string' && member !== '' ? member : undefined;
  } catch {
    return undefined;
  }
}

const HEX_SHA256 = { algorithm: 'sha256', encoding: 'hex' } as const;

const github: Check<'github'> = (request, { secret: name }, { secrets }) => {
  const secret = secrets.get(name);
  if (secret === undefined) return undefined;
  const expected = `sha256=${sign({ ...HEX_SHA256, secret, before: '' }, request.body)}`;
  if (!isSame(request.headers['x-hub-signature-256'] ?? '', expected)) return undefined;
  return deliveryIn(request, 'x-github-delivery');
};

/** The header is `t=<time>,v1=<signature>`, with a signature for each secret while one is replaced. */
const stripe: Check<'stripe'> = (request, { secret: name }, { secrets, now }) => {
  const secret = secrets.get(name);
  const parts = (request.headers['stripe-signature'] ?? '').split(',').map((part) => part.trim());
  const valuesOf = (key: string) =>
    parts.filter((part) => part.startsWith(`${key}=`)).map((part) => part.slice(key.length + 1));
  const [time = ''] = valuesOf('t');
  if (secret === undefined || !isRecent(time, now, TOLERANCE_MS)) return undefined;
  const expected = sign({ ...HEX_SHA256, secret, before: `${time}.` }, request.body);
  if (valuesOf('v1').filter((one) => isSame(one, expected)).length === 0) return undefined;
  return { delivery: memberOf(request, 'id') ?? expected };
};

const slack: Check<'slack'> = (request, { secret: name }, { secrets, now }) => {
  const secret = secrets.get(name);
  const time = request.headers['x-slack-request-timestamp'] ?? '';
  if (secret === undefined || !isRecent(time, now, TOLERANCE_MS)) return undefined;
  const expected = `v0=${sign({ ...HEX_SHA256, secret, before: `v0:${time}:` }, request.body)}`;
  if (!isSame(request.headers['x-slack-signature'] ?? '', expected)) return undefined;
  return { delivery: memberOf(request, 'event_id') ?? expected };
};

/** The header has a signature for each secret while one is replaced, separated by spaces. */
const standard: Check<'standard'> = ({ headers, body }, { secret: name }, { secrets, now }) => {
  const secret = secrets.get(name);
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signatures = '' } = headers;
  if (secret === undefined || id === '' || !isRecent(time, now, TOLERANCE_MS)) return undefined;
  const expected = signStandard({ secret, id, time }, body);
  return signatures.split(' ').filter((one) => isSame(one, expected)).length === 0 ? undefined : { delivery: id };
};

const hmac: Check<'hmac'> = (request, verification, { secrets, now }) => {
  const { algorithm, encoding, prefix, timestamp, delivery } = verification;
  const secret = secrets.get(verification.secret);
  if (secret === undefined) return undefined;
  const time = timestamp === undefined ? undefined : (ownMember(request.headers, timestamp.toLowerCase()) ?? '');
  const duration = parseDuration(verification.tolerance);
  const tolerance = duration === undefined ? TOLERANCE_MS : addDuration(0, duration);
  if (time !== undefined && !isRecent(time, now, tolerance)) return undefined;
  const before = time === undefined ? '' : `${time}.`;
  const expected = prefix + sign({ secret, algorithm, encoding, before }, request.body);
  if (!isSame(ownMember(request.headers, verification.header.toLowerCase()) ?? '', expected)) return undefined;
  const sent = deliveryIn(request, delivery);
  // A signature with a time is that of one delivery.
  return sent.delivery === undefined && time !== undefined ? { delivery: expected } : sent;
};

const BASIC = /^Basic +/i;

const basic: Check<'basic'> = (request, { user, password: name, delivery }, { secrets }) => {
  const password = secrets.get(name);
  const given = (request.headers['authorization'] ?? '').replace(BASIC, '');
  if (password === undefined || !isSame(given, Buffer.from(`${user}:${password}`).toString('base64'))) return undefined;
  return deliveryIn(request, delivery);
};

const url: Check<'url'> = (request, { secret: name, delivery }, { secrets }) => {
  const secret = secrets.get(name);
  if (secret === undefined || !isSame(request.query['secret']?.[0] ?? '', secret)) return undefined;
  return deliveryIn(request, delivery);
};

const none: Check<'none'> = () => ({});

const CHECKS: { readonly [K in WebhookVerification['kind']]: Check<K> } = {
  github,
  stripe,
  slack,
  standard,
  hmac,
  basic,
  url,
  none,
};

/** The names of the secrets that a verification needs. */
export function secretsOf(verification: WebhookVerification): readonly string[] {
  if (verification.kind === 'none') return [];
  return [verification.kind === 'basic' ? verification.password : verification.secret];
}

/** Verifies a request, in constant time for each secret. Undefined for a request that is not from the sender. */
export function verify(
  request: WebhookRequest,
  verification: WebhookVerification,
  evidence: Evidence,
): Verified | undefined {
  const { secrets } = evidence;
  if (secretsOf(verification).some((name) => (secrets.get(name) ?? '') === '')) return undefined;
  const check = CHECKS[verification.kind] as Check<WebhookVerification['kind']>;
  return check(request, verification, evidence);
}
