import type { HmacVerification, WebhookVerification } from '../../../compiler/plan/webhooks.ts';

/** The parts of a request to a webhook besides its method and its body, as words of a POSIX shell. */
interface Signing {
  /** Commands before the request: they set variables. */
  readonly before?: string;
  /** Headers, as the contents of double quotes. */
  readonly headers: readonly string[];
  /** The text after the URL, as the contents of double quotes. */
  readonly query?: string;
}

const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** A literal text inside double quotes. */
const inDoubleQuotes = (text: string): string => text.replaceAll(/[\\"$`]/g, '\\$&');

/** The variable of the shell with the value of a secret: its name, as a shell accepts it. */
export const variableOf = (secret: string): string => secret.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_');

/** The command that prints the HMAC of its standard input. */
function hmac(secret: string, { algorithm, encoding }: Pick<HmacVerification, 'algorithm' | 'encoding'>): string {
  const command = `openssl dgst -${algorithm} -hmac "$${variableOf(secret)}"`;
  return encoding === 'hex' ? `${command} -r | cut -d' ' -f1` : `${command} -binary | openssl base64 -A`;
}

const HEX_SHA256 = { algorithm: 'sha256', encoding: 'hex' } as const;
const TIME = 'time=$(date +%s)';

type Sign<K extends WebhookVerification['kind']> = (
  verification: Extract<WebhookVerification, { readonly kind: K }>,
) => Signing;

/** An id of the delivery for the header that has one. */
const deliveryHeader = (header: string | undefined): string[] =>
  header === undefined ? [] : [`${inDoubleQuotes(header)}: $(date +%s)-$$`];

const SIGNINGS: { readonly [K in WebhookVerification['kind']]: Sign<K> } = {
  github: ({ secret }) => ({
    headers: [
      `X-Hub-Signature-256: sha256=$(printf %s "$body" | ${hmac(secret, HEX_SHA256)})`,
      ...deliveryHeader('X-GitHub-Delivery'),
    ],
  }),
  stripe: ({ secret }) => ({
    before: TIME,
    headers: [`Stripe-Signature: t=$time,v1=$(printf %s "$time.$body" | ${hmac(secret, HEX_SHA256)})`],
  }),
  slack: ({ secret }) => ({
    before: TIME,
    headers: [
      'X-Slack-Request-Timestamp: $time',
      `X-Slack-Signature: v0=$(printf %s "v0:$time:$body" | ${hmac(secret, HEX_SHA256)})`,
    ],
  }),
  standard: ({ secret }) => {
    const value = variableOf(secret);
    const plain = `(whsec_*) printf %s "\${${value}#whsec_}" | openssl base64 -d -A;; (*) printf %s "$${value}";;`;
    const hmacOfKey = 'openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A';
    return {
      before: `${TIME}; id="msg-$time-$$"; key=$(case "$${value}" in ${plain} esac | od -An -vtx1 | tr -d ' \n')`,
      headers: [
        'webhook-id: $id',
        'webhook-timestamp: $time',
        `webhook-signature: v1,$(printf %s "$id.$time.$body" | ${hmacOfKey})`,
      ],
    };
  },
  hmac: (verification) => {
    const { secret, header, prefix, timestamp, delivery } = verification;
    const signed = timestamp === undefined ? '$body' : '$time.$body';
    return {
      ...(timestamp === undefined ? {} : { before: TIME }),
      headers: [
        ...(timestamp === undefined ? [] : [`${inDoubleQuotes(timestamp)}: $time`]),
        `${inDoubleQuotes(header)}: ${inDoubleQuotes(prefix)}$(printf %s "${signed}" | ${hmac(secret, verification)})`,
        ...deliveryHeader(delivery),
      ],
    };
  },
  basic: ({ user, password, delivery }) => ({
    headers: [
      `Authorization: Basic $(printf %s "${inDoubleQuotes(user)}:$${variableOf(password)}" | openssl base64 -A)`,
      ...deliveryHeader(delivery),
    ],
  }),
  url: ({ secret, delivery }) => ({ headers: deliveryHeader(delivery), query: `?secret=$${variableOf(secret)}` }),
  none: () => ({ headers: [] }),
};

/**
 * A line of a POSIX shell that sends a signed request by curl. It reads the URL from the variable `url` and the value of
 * the secret from the variable `variableOf`, and signs by openssl.
 */
export function signedRequest(verification: WebhookVerification, body: string): string {
  const signing = SIGNINGS[verification.kind] as Sign<WebhookVerification['kind']>;
  const { before, headers, query = '' } = signing(verification);
  const all = ['Content-Type: application/json', ...headers].map((header) => `-H "${header}"`);
  const curl = `curl -sS "$url${query}" ${all.join(' ')} -d "$body"`;
  return [`body=${singleQuoted(body)}`, ...(before === undefined ? [] : [before]), curl].join('; ');
}

/** As `signedRequest`, with the URL. */
export const curlLine = (url: string, verification: WebhookVerification, body: string): string =>
  `url=${singleQuoted(url)}; ${signedRequest(verification, body)}`;
