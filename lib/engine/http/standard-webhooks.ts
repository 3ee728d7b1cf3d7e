import { createHmac } from 'node:crypto';

/** What is signed besides the body of a request: its id, and its time in seconds since 1970. */
export interface StandardSigning {
  readonly secret: string;
  readonly id: string;
  readonly time: string;
}

/** A secret with this prefix is a key in base64; any other is the key itself. */
const KEY_PREFIX = 'whsec_';

const keyOf = (secret: string): Buffer =>
  secret.startsWith(KEY_PREFIX) ? Buffer.from(secret.slice(KEY_PREFIX.length), 'base64') : Buffer.from(secret);

/** The signature of a request as Standard Webhooks 1.0 has it, with its version: `v1,` and the HMAC in base64. */
export const signStandard = ({ secret, id, time }: StandardSigning, body: Uint8Array): string =>
  `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${time}.`).update(body).digest('base64')}`;

/** The headers of a request that is signed in this way. */
export const standardHeaders = (signing: StandardSigning, body: Uint8Array): Readonly<Record<string, string>> => ({
  'webhook-id': signing.id,
  'webhook-timestamp': signing.time,
  'webhook-signature': signStandard(signing, body),
});
