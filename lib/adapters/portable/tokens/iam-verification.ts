import { ownMember } from '../../../language/own-members.ts';
import { type IamSettings, type Identity, SignInError } from '../../../ports/tokens.ts';
import { type Refusal, settled } from './refusals.ts';
import type { Verified } from './remembered.ts';
import { limitedTo } from './simultaneous.ts';

/** What a token begins with; the signed URL follows in base64url. */
export const IAM_PREFIX = 'weft-aws-v1.';

/** The signed header that names the service for which a token is: other services cannot use it. */
export const AUDIENCE_HEADER = 'x-weft-audience';

const SECOND_MS = 1_000;
/** How long a token is valid at most, seconds. */
export const MAX_AGE_S = 900;
/** How much the clock of a sender may be ahead, seconds. */
const TOLERANCE_S = 60;
/** STS answers within this time, milliseconds. */
const FETCH_MS = 5_000;
/** Requests at the same time to one endpoint of STS: one that does not answer keeps none of the others busy. */
const MAX_REQUESTS = 20;
/** The endpoints whose requests are counted, those that were used last: AWS has fewer regions. */
const MAX_ENDPOINTS = 100;

/** The endpoints of STS: the global one, and those of regions, also with FIPS and in China. */
const HOST = /^sts(-fips)?(\.[a-z]{2}(-[a-z]+)+-\d)?\.amazonaws\.com(\.cn)?$/;

/** The parameters of a signed request. STS gets no other: nothing but the question who signed it. */
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  Action: /^GetCallerIdentity$/,
  Version: /^2011-06-15$/,
  'X-Amz-Algorithm': /^AWS4-HMAC-SHA256$/,
  'X-Amz-Credential': /^\w{1,128}\/\d{8}\/[a-z\d-]+\/sts\/aws4_request$/,
  'X-Amz-Date': /^\d{8}T\d{6}Z$/,
  'X-Amz-Expires': /^\d{1,5}$/,
  'X-Amz-SignedHeaders': /^[a-z\d;-]+$/,
  'X-Amz-Signature': /^[\da-f]{64}$/,
  'X-Amz-Security-Token': /^[\w+/=-]+$/,
};
/** A sender with lasting credentials has no session. */
const OPTIONAL = 'X-Amz-Security-Token';

const refused = (message: string): SignInError => new SignInError('refused', message);
const unavailable = (reason: string): SignInError =>
  new SignInError('unavailable', `STS of AWS is at fault: ${reason}`);

const MALFORMED = 'the token is malformed: it is no signed URL for GetCallerIdentity of STS';

/** The signed URL of a token. Throws SignInError if it is anything but a request for GetCallerIdentity to STS. */
function urlIn(token: string, endpoint: string | undefined): URL {
  const url = URL.parse(Buffer.from(token.slice(IAM_PREFIX.length), 'base64url').toString('utf8'));
  if (url === null) throw refused(MALFORMED);
  const { origin, host, pathname, username, password, hash, searchParams } = url;
  const isOfSts = endpoint === undefined ? origin === `https://${host}` && HOST.test(host) : origin === endpoint;
  if (!isOfSts) throw refused('the token is signed for a host that is no endpoint of STS');
  const isPlain = pathname === '/' && username + password + hash === '';
  const entries = [...searchParams];
  const names = new Set(entries.map(([name]) => name));
  const isComplete = Object.keys(PARAMETERS).every((name) => name === OPTIONAL || names.has(name));
  const isKnown = ([name, value]: (typeof entries)[number]): boolean =>
    ownMember(PARAMETERS, name)?.test(value) === true;
  if (!isPlain || !isComplete || names.size !== entries.length || !entries.every(isKnown)) throw refused(MALFORMED);
  return url;
}

/** When a token expires, milliseconds since 1970. Throws SignInError if it is not valid now. */
function expiryOf({ searchParams }: URL, now: number): number {
  const digits = searchParams.get('X-Amz-Date') ?? '';
  const signed = Date.parse(digits.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!Number.isFinite(signed)) throw refused(MALFORMED);
  if (now < signed - TOLERANCE_S * SECOND_MS) {
    throw refused('the token is not valid yet: compare the clock of its sender with that of the service');
  }
  const seconds = Math.min(Number(searchParams.get('X-Amz-Expires')), MAX_AGE_S);
  const expires = signed + seconds * SECOND_MS;
  if (now >= expires) throw refused(`the token has expired: one is valid for at most ${MAX_AGE_S / 60} minutes`);
  return expires;
}

/** The reasons of STS by the code of its error. */
const REASONS: Readonly<Record<string, string>> = {
  ExpiredToken: 'the credentials of AWS that signed the token have expired',
  ExpiredTokenException: 'the credentials of AWS that signed the token have expired',
  InvalidClientTokenId: 'AWS does not know the credentials that signed the token',
};
const BUSY = /^(Throttl|RequestLimitExceeded|ServiceUnavailable|InternalFailure)/;

const elementOf = (text: string, name: string): string =>
  new RegExp(`<${name}>([^<>]+)</${name}>`).exec(text)?.[1] ?? '';

function toRefusal(status: number, body: string, audience: string): SignInError {
  const code = elementOf(body, 'Code');
  if (status >= 500 || status === 429 || BUSY.test(code)) return unavailable(`it answers ${status} ${code}`.trim());
  if (code === 'SignatureDoesNotMatch') {
    return refused(
      `AWS refuses the signature of the token: sign the header ${AUDIENCE_HEADER} with the value '${audience}', by the ` +
        'secret of the access key',
    );
  }
  return refused(ownMember(REASONS, code) ?? `AWS refuses the token: ${code || status}`);
}

/** Sends a signed request to STS, with the name of this service in place of what the sender signed. Throws SignInError. */
async function callerOf(url: URL, audience: string): Promise<Identity> {
  const signal = AbortSignal.timeout(FETCH_MS);
  const send = () => fetch(url, { headers: { [AUDIENCE_HEADER]: audience }, redirect: 'error', signal });
  // STS may have closed a connection while this process was frozen.
  const { status, body } = await send()
    .catch(send)
    .then(async (response) => ({ status: response.status, body: await response.text() }))
    .catch(({ name, cause }: Error & { readonly cause?: { readonly code?: string } }) => {
      throw unavailable(`it cannot be reached (${cause?.code ?? name})`);
    });
  if (status !== 200) throw toRefusal(status, body, audience);
  const [arn, subject] = [elementOf(body, 'Arn'), elementOf(body, 'UserId')];
  if (arn === '' || subject === '') throw unavailable('its reply names no caller');
  return { subject, name: arn };
}

/**
 * Opens the verification of tokens of IAM. A token is a presigned request for GetCallerIdentity: STS alone can check its
 * signature, and replies who signed it. `now`: milliseconds since 1970. `endpoint`: the URL of STS in place of the endpoints of
 * AWS, for emulators.
 */
export function openIamVerification(settings: IamSettings, now: () => number, endpoint?: string) {
  const { audience } = settings;
  const origin = endpoint === undefined ? undefined : new URL(endpoint).origin;
  const askers = new Map<string, (url: URL) => Promise<Identity>>();
  const ask = (url: URL): Promise<Identity> => {
    const asker = askers.get(url.host) ?? limitedTo(MAX_REQUESTS, (one: URL) => callerOf(one, audience));
    askers.delete(url.host);
    askers.set(url.host, asker);
    const oldest = askers.size > MAX_ENDPOINTS ? askers.keys().next().value : undefined;
    if (oldest !== undefined) askers.delete(oldest);
    return asker(url);
  };
  const verify = async (token: string): Promise<Verified> => {
    const url = urlIn(token, origin);
    const expires = expiryOf(url, now());
    if (url.searchParams.get('X-Amz-SignedHeaders') !== `host;${AUDIENCE_HEADER}`) {
      throw refused(`the token is for no service: it must sign the headers host and ${AUDIENCE_HEADER}, and no others`);
    }
    return { identity: await ask(url), expires };
  };
  return { verify: (token: string): Promise<Verified | Refusal> => settled(verify(token)) };
}
