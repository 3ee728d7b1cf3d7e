import { omitUndefined } from '../../language/omit-undefined.ts';
import { reportInvalid } from '../decoding/context.ts';
import {
  createDecoder,
  type Decoder,
  dictionary,
  duration,
  flag,
  oneOf,
  required,
  text,
} from '../decoding/decoders.ts';
import { kindOf, oneKind } from '../decoding/kinds.ts';
import { object } from '../decoding/object.ts';
import type { WebhookVerification } from '../plan/webhooks.ts';

const DEFAULT_TOLERANCE = 'PT5M';

/** The name of a secret alone. */
const named = (kind: 'github' | 'stripe' | 'slack' | 'standard'): Decoder<WebhookVerification | undefined> =>
  createDecoder({ kind: 'text' }, (node, field, context) => {
    if (node === undefined) return undefined;
    return { kind, secret: required(text)(node, field, context) };
  });

const none = createDecoder({ kind: 'flag' }, (node, field, context): WebhookVerification | undefined => {
  const value = flag(node, field, context);
  if (value !== false) return value && { kind: 'none' };
  reportInvalid(context, node ?? field, `${field.name} must be true`, () => 'or name a verification, such as github');
  return undefined;
});

/** How each kind of verification is written. A secret is written by its name. */
const KINDS: { readonly [K in WebhookVerification['kind']]: Decoder<WebhookVerification | undefined> } = {
  github: named('github'),
  stripe: named('stripe'),
  slack: named('slack'),
  standard: named('standard'),
  hmac: kindOf(
    {
      secret: required(text),
      header: required(text),
      algorithm: oneOf(['sha256', 'sha512', 'sha1']),
      encoding: oneOf(['hex', 'base64']),
      prefix: text,
      timestamp: text,
      tolerance: duration,
      delivery: text,
    },
    ({ secret, header, algorithm, encoding, prefix, timestamp, tolerance, delivery }): WebhookVerification => ({
      kind: 'hmac',
      secret,
      header,
      algorithm: algorithm ?? 'sha256',
      encoding: encoding ?? 'hex',
      prefix: prefix ?? '',
      tolerance: tolerance ?? DEFAULT_TOLERANCE,
      ...omitUndefined({ timestamp, delivery }),
    }),
  ),
  basic: kindOf(
    { user: required(text), password: required(text), delivery: text },
    ({ user, password, delivery }): WebhookVerification => ({
      kind: 'basic',
      user,
      password,
      ...omitUndefined({ delivery }),
    }),
  ),
  url: kindOf(
    { secret: required(text), delivery: text },
    ({ secret, delivery }): WebhookVerification => ({ kind: 'url', secret, ...omitUndefined({ delivery }) }),
  ),
  none,
};

/** The fields of a webhook start beside `type` and `state` (docs/webhooks.md). */
export const WEBHOOK_FIELDS = {
  verify: required(oneKind<WebhookVerification>(KINDS, '{github: HOOK_SECRET}, with the name of a secret')),
  reply: oneOf(['wait']),
  event: object({ type: required(text), context: dictionary }),
};
