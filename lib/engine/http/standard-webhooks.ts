import { createHmac } from 'node:crypto';

/** What is signed besides the body of a request: its id, and its time in seconds since 1970. */
export interface StandardSigning {
  readonly secret: string;
  readonly id: string;
  readonly time: string;
}

/** A key in base64, as senders show it. Any other secret is the key itself, so that no key is empty or shortened. */
const ENCODED_KEY = /^whsec_(?=.)((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

function keyOf(secret: string): Buffer {
  const [, encoded] = ENCODED_KEY.exec(secret) ?? [];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
}

/** The signature of a request as Standard Webhooks 1.0 has it, with its version: `v1,` and the HMAC in base64. */
export const signStandard = ({ secret, id, time }: StandardSigning, body: Uint8Array): string =>
  `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${time}.`).update(body).digest('base64')}`;

/** The headers of a request that is signed in this way. */
export const standardHeaders = (signing: StandardSigning, body: Uint8Array): Readonly<Record<string, string>> => ({
  'webhook-id': signing.id,
  'webhook-timestamp': signing.time,
  'webhook-signature': signStandard(signing, body),
});
