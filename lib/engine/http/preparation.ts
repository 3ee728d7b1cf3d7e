import { INPUT_FIELDS } from '../../compiler/plan/input-fields.ts';
import type { ActionPlan, FunctionPlan, HttpAuthPlan, HttpRequestPlan } from '../../compiler/plan/plan.ts';
import { isObject } from '../../language/json.ts';
import { ownMember } from '../../language/own-members.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { evaluateWithSecrets, type SecretReader } from '../evaluation/secrets.ts';
import { bodyOf } from './bodies.ts';
import { expectOf, headersOf, insecureOf, invalidRequest, methodOf, msOf, redirectsOf, urlOf } from './fields.ts';
import type { PreparedRequest } from './prepared.ts';

type HttpPlan = Extract<FunctionPlan, { readonly type: 'http' }>;

/** The fields that the input of an action may set for one call. */
const CALL_FIELDS = INPUT_FIELDS.http;

type Values = { readonly [K in keyof HttpRequestPlan | 'path']?: unknown };

/** The fields of a call's input over those of the function; headers and query parameters are merged by their names. */
function overlay(request: Values, input: unknown): Values {
  if (input === undefined || input === null) return request;
  if (!isObject(input)) throw invalidRequest(`the action's input is no object; it may have ${CALL_FIELDS.join(', ')}`);
  const unknown = Object.keys(input).find((name) => !CALL_FIELDS.some((known) => known === name));
  if (unknown !== undefined) {
    throw invalidRequest(`the action's input has the field '${unknown}'; it may have ${CALL_FIELDS.join(', ')}`);
  }
  return {
    ...request,
    ...input,
    headers: merged(request.headers, input['headers'], (name) => name.toLowerCase()),
    query: merged(request.query, input['query'], (name) => name),
  };
}

function merged(below: unknown, above: unknown, keyOf: (name: string) => string): unknown {
  if (!isObject(below) || !isObject(above)) return above ?? below;
  const names = new Set(Object.keys(above).map(keyOf));
  const kept = Object.entries(below).filter(([name]) => !names.has(keyOf(name)));
  return { ...Object.fromEntries(kept), ...above };
}

/** The parts that the credentials add to a request. */
type Authentication = Pick<PreparedRequest, 'oauth' | 'signing'> & {
  readonly credentials?: Readonly<Record<string, string>>;
  readonly query?: readonly [name: string, value: string];
  readonly secrets: readonly string[];
};

type AuthOf<K extends HttpAuthPlan['kind']> = Extract<HttpAuthPlan, { readonly kind: K }>;

const isText = (value: unknown, field: string): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidRequest(`'auth' has no text for '${field}'`);
};

/** `values`: the evaluated plan. `read`: the value of a secret. */
type Authenticate<K extends HttpAuthPlan['kind']> = (
  plan: AuthOf<K>,
  read: (name: string) => Promise<string>,
) => Promise<Authentication>;

const basic = (user: string, password: string): string => Buffer.from(`${user}:${password}`).toString('base64');

const AUTHENTICATE: { readonly [K in HttpAuthPlan['kind']]: Authenticate<K> } = {
  bearer: async ({ token }, read) => {
    const secret = await read(token);
    return { credentials: headersOf({ authorization: `Bearer ${secret}` }), secrets: [secret] };
  },
  basic: async ({ user, password }, read) => {
    const secret = await read(password);
    const coded = basic(isText(user, 'user'), secret);
    return { credentials: { authorization: `Basic ${coded}` }, secrets: [secret, coded] };
  },
  apiKey: async ({ header, query, secret: name }, read) => {
    const secret = await read(name);
    if (query !== undefined) return { query: [query, secret], secrets: [secret] };
    return { credentials: headersOf({ [header ?? 'X-Api-Key']: secret }), secrets: [secret] };
  },
  oauth2: async ({ tokenUrl, clientId, clientSecret, scope }, read) => {
    const secret = await read(clientSecret);
    const oauth = {
      tokenUrl: urlOf(tokenUrl, undefined, undefined).href,
      clientId: isText(clientId, 'clientId'),
      clientSecret: secret,
      ...(scope === undefined || scope === null ? {} : { scope: isText(scope, 'scope') }),
    };
    return { oauth, secrets: [secret] };
  },
  sigv4: async ({ service, region, accessKeyId, secretAccessKey, sessionToken }, read) => {
    const signing = {
      service,
      region,
      accessKeyId: await read(accessKeyId),
      secretAccessKey: await read(secretAccessKey),
      ...(sessionToken === undefined ? {} : { sessionToken: await read(sessionToken) }),
    };
    return { signing, secrets: [signing.secretAccessKey, signing.sessionToken ?? ''] };
  },
};

async function authenticate(plan: HttpAuthPlan | undefined, readSecrets: SecretReader): Promise<Authentication> {
  if (plan === undefined) return { secrets: [] };
  const read = async (name: string) => ownMember(await readSecrets([name]), name) ?? '';
  return (AUTHENTICATE[plan.kind] as Authenticate<HttpAuthPlan['kind']>)(plan, read);
}

/**
 * The request of a call: the fields of the function and of the action's input, evaluated over the data and the secrets
 * that the action lists. Throws `http.request` for one that cannot be sent, `jq.badCommand` and `secrets.notFound`.
 */
export async function prepareRequest(
  { request, auth }: HttpPlan,
  { input, secrets: names }: Pick<ActionPlan, 'input' | 'secrets'>,
  data: unknown,
  readSecrets: SecretReader,
): Promise<PreparedRequest> {
  const query = { request, ...(auth && { auth }), ...(input === undefined ? {} : { input }) };
  const listed = names.length === 0 ? {} : await readSecrets(names);
  const values = (
    names.length === 0 ? await evaluate(query, data) : await evaluateWithSecrets(query, data, listed)
  ) as { readonly request: Values; readonly auth?: HttpAuthPlan; readonly input?: unknown };
  return toRequest(
    overlay(values.request, values.input),
    await authenticate(values.auth, readSecrets),
    Object.values(listed),
  );
}

function toRequest(values: Values, auth: Authentication, listed: readonly string[]): PreparedRequest {
  const { credentials = {}, query, secrets, ...others } = auth;
  const url = urlOf(values.url, values.path, values.query);
  const userinfo = takeUserinfo(url);
  if (query !== undefined) url.searchParams.append(...query);
  const headers = headersOf(values.headers);
  const body = bodyOf(values.body, headers['content-type']);
  return {
    url: url.href,
    method: methodOf(values.method, body !== undefined),
    headers: body === undefined ? headers : { ...headers, 'content-type': body.type },
    credentials: { ...userinfo.credentials, ...credentials },
    ...others,
    ...(body === undefined ? {} : { body: body.text, ...(body.encoding && { bodyEncoding: body.encoding }) }),
    ms: msOf(values.timeout),
    expect: expectOf(values.expect),
    redirects: redirectsOf(values.redirects),
    isInsecure: insecureOf(values.insecure),
    secrets: [...new Set([...secrets, ...listed, ...userinfo.secrets])],
  };
}

/** The credentials in a URL, which are sent as a header and shown nowhere. */
function takeUserinfo(url: URL): {
  readonly credentials: Readonly<Record<string, string>>;
  readonly secrets: string[];
} {
  const { username, password } = url;
  if (username === '' && password === '') return { credentials: {}, secrets: [] };
  url.username = '';
  url.password = '';
  const secret = decoded(password);
  const coded = basic(decoded(username), secret);
  return { credentials: { authorization: `Basic ${coded}` }, secrets: [secret, coded] };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidRequest("'url' has a '%' in its user name or password that begins no encoded character");
  }
}
