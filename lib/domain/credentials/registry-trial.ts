import { parseJson } from '../../language/json-numbers.ts';
import { UnreachableError, type WebAnswer } from '../../ports/callees/web.ts';
import type { Ports } from '../../ports/ports.ts';
import { ServiceError } from '../errors.ts';
import { baseOf } from './registry-hosts.ts';

/** The timeout of a whole trial. */
const TIMEOUT_MS = 5_000;

interface Trial {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

type Ask = (url: string, authorization?: string) => Promise<WebAnswer>;

type Fields = Readonly<Record<string, string>>;

const refused = (text: string): ServiceError => new ServiceError('refused', text);

const basic = ({ username, password }: Trial): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** The parameters of a challenge: `Bearer realm="https://…",service="…"`. */
function challengeOf({ headers }: WebAnswer): { scheme: string; fields: Fields } {
  const text = headers['www-authenticate'] ?? '';
  const scheme = /^\w+/.exec(text)?.[0].toLowerCase() ?? '';
  const fields = [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name.toLowerCase(), value]);
  return { scheme, fields: Object.fromEntries(fields) as Fields };
}

function tokenOf({ body }: WebAnswer): string | undefined {
  try {
    const { token, access_token: other } = parseJson(body) as Record<string, unknown>;
    return [token, other].find((text): text is string => typeof text === 'string' && /^[\x21-\x7e]+$/.test(text));
  } catch {
    return undefined;
  }
}

/** Exchanges the credentials for a token, at the server that the challenge names (OCI distribution specification). */
async function bearer(ask: Ask, trial: Trial, fields: Fields): Promise<string> {
  const realm = URL.parse(fields['realm'] ?? '');
  if (realm === null) throw refused(`'${trial.url}' requires a token, but does not name a server that issues one`);
  if (fields['service'] !== undefined) realm.searchParams.set('service', fields['service']);
  realm.searchParams.set('account', trial.username);
  const answer = await ask(realm.href, basic(trial));
  const token = answer.status === 200 ? tokenOf(answer) : undefined;
  if (token !== undefined) return `Bearer ${token}`;
  throw refused(`'${trial.url}' refused the credentials: its token server '${realm.host}' answered ${answer.status}`);
}

const AUTHORIZATION: Readonly<Record<string, (ask: Ask, trial: Trial, fields: Fields) => Promise<string>>> = {
  bearer,
  basic: async (_ask, trial) => basic(trial),
};

async function run(ask: Ask, trial: Trial): Promise<void> {
  const ping = `${baseOf(trial.url)}/v2/`;
  const first = await ask(ping);
  if (first.status !== 401 && first.status !== 200) {
    throw refused(`'${trial.url}' is not a registry: GET /v2/ answered ${first.status}`);
  }
  // A registry that allows anonymous access can still reject wrong credentials.
  const { scheme, fields } = first.status === 200 ? { scheme: 'basic', fields: {} } : challengeOf(first);
  const authorization = Object.hasOwn(AUTHORIZATION, scheme) ? AUTHORIZATION[scheme] : undefined;
  if (authorization === undefined) {
    throw refused(`'${trial.url}' requires an authentication scheme that is not supported; Basic and Bearer are`);
  }
  const second = await ask(ping, await authorization(ask, trial, fields));
  if (second.status !== 200) throw refused(`'${trial.url}' refused the credentials: it answered ${second.status}`);
}

/**
 * Tests credentials at a registry, as a client does before it pulls an image. Throws `refused` (500, rest-api reference,
 * A.7) when a field is missing, the registry is unreachable, or it refuses the credentials.
 */
export async function trial({ web, clock }: Pick<Ports, 'web' | 'clock'>, request: Trial): Promise<void> {
  const { url, username, password } = request;
  if (url === '' || username === '' || password === '') {
    throw refused('url, username and password need to be provided');
  }
  const end = clock.now() + TIMEOUT_MS;
  const ask: Ask = (address, authorization) =>
    web.get(address, authorization === undefined ? {} : { authorization }, end - clock.now());
  await run(ask, request).catch((error: unknown) => {
    throw error instanceof UnreachableError ? refused(error.message) : error;
  });
}
