import { omitUndefined } from '../../../language/omit-undefined.ts';
import type { MapNode } from '../../../language/yaml/parser.ts';
import { isDuration } from '../../../time/durations.ts';
import { LIMIT_FIELDS, toLimits } from '../../decoding/call-limits.ts';
import { computed, isComputed } from '../../decoding/computed.ts';
import { type Context, reportInvalid } from '../../decoding/context.ts';
import { createDecoder, type Decoder, query, required, text } from '../../decoding/decoders.ts';
import { kindOf, oneKind } from '../../decoding/kinds.ts';
import { acceptedFields, type Decoded, decodeFields } from '../../decoding/object.ts';
import type { Variant } from '../../decoding/variants.ts';
import type { FunctionPlan, HttpAuthPlan } from '../../plan/plan.ts';

type HttpPlan = Extract<FunctionPlan, { readonly type: 'http' }>;

const isUrl = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '');

const isMap = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const isStatus = (value: unknown): boolean =>
  isComputed(value) ||
  (typeof value === 'string' && /^[1-5]xx$/.test(value)) ||
  (typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599);

/** The most redirects that a function may follow. */
export const MAX_REDIRECTS = 20;

const isRedirects = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_REDIRECTS;

const URL_RULE = 'must be a URL that begins with http:// or https://';
const URL_HINT = "write it like https://api.example.com/orders; a part may be computed, as in 'https://…/jq(.id)'";
const url = computed(isUrl, URL_RULE, URL_HINT);

/** The fields of a request, without the URL. */
const REQUEST_FIELDS = {
  method: computed(
    (value) => typeof value === 'string' && /^[A-Za-z]+$/.test(value),
    'must be a method of HTTP',
    'for example GET, POST, PUT, PATCH or DELETE',
  ),
  headers: computed(isMap, 'must be a map of names to values', 'for example {Accept: application/json}'),
  query: computed(isMap, 'must be a map of names to values', 'for example {page: 2}'),
  body: query,
  timeout: computed(
    (value) => typeof value === 'string' && isDuration(value),
    'is not a ISO8601 string',
    'write it like PT30S or PT2M',
  ),
  expect: computed(
    (value) => Array.isArray(value) && value.length > 0 && value.every(isStatus),
    'must be a list of statuses',
    'for example [200, 404], or [2xx, 404]',
  ),
  redirects: computed(isRedirects, `must be a number from 0 to ${MAX_REDIRECTS}`, 'redirects: 0 follows none'),
  insecure: computed(
    (value) => typeof value === 'boolean',
    'must be true or false',
    'remove it to verify certificates',
  ),
};

/** How each kind of `auth` is written. A secret is written by its name. */
const AUTH: { readonly [K in HttpAuthPlan['kind']]: Decoder<HttpAuthPlan | undefined> } = {
  bearer: createDecoder({ kind: 'text' }, (node, field, context) => {
    if (node === undefined) return undefined;
    return { kind: 'bearer', token: required(text)(node, field, context) };
  }),
  basic: kindOf(
    { user: required(query), password: required(text) },
    ({ user, password }): HttpAuthPlan => ({ kind: 'basic', user, password }),
  ),
  apiKey: kindOf(
    { header: text, query: text, secret: required(text) },
    ({ header, query: parameter, secret }): HttpAuthPlan => ({
      kind: 'apiKey',
      secret,
      ...(parameter === undefined ? { header: header ?? 'X-Api-Key' } : { query: parameter }),
    }),
  ),
  oauth2: kindOf(
    { tokenUrl: required(url), clientId: required(query), clientSecret: required(text), scope: query },
    ({ tokenUrl, clientId, clientSecret, scope }): HttpAuthPlan => ({
      kind: 'oauth2',
      tokenUrl,
      clientId,
      clientSecret,
      ...omitUndefined({ scope }),
    }),
  ),
  sigv4: kindOf(
    {
      service: required(text),
      region: required(text),
      accessKeyId: required(text),
      secretAccessKey: required(text),
      sessionToken: text,
    },
    ({ service, region, accessKeyId, secretAccessKey, sessionToken }): HttpAuthPlan => ({
      kind: 'sigv4',
      service,
      region,
      accessKeyId,
      secretAccessKey,
      ...omitUndefined({ sessionToken }),
    }),
  ),
};

/** The credentials of a function: a map with one kind of them. */
const auth = oneKind<HttpAuthPlan>(AUTH, '{bearer: MY_TOKEN}, with the name of a secret');

/** The fields of an http function: one of `url` and `base`, which mean the same, and what may be left out. */
const FIELDS = { url, base: url, ...REQUEST_FIELDS, auth, ...LIMIT_FIELDS };

/** Reports an http function without a URL, or with two. */
function checkUrls({ url: first, base }: Decoded<typeof FIELDS>, node: MapNode, context: Context): void {
  if (first === undefined && base === undefined) reportInvalid(context, node, 'url required');
  if (first !== undefined && base !== undefined) {
    reportInvalid(context, node, "'url' and 'base' are the same field: write one of them");
  }
}

function toPlan(id: string, values: Decoded<typeof FIELDS>): HttpPlan {
  const { url: first, base, auth: credentials, concurrency, rate, scope, ...request } = values;
  return {
    type: 'http',
    request: { url: first ?? base, ...omitUndefined(request) },
    ...omitUndefined({ auth: credentials }),
    ...toLimits(id, { concurrency, rate, scope }),
  };
}

/** A function that sends a request (docs/http.md). `id` decodes its id. */
export function httpFunction(id: Decoder<string>): Variant<FunctionPlan> {
  const fields = { type: text, id, ...FIELDS };
  return {
    names: ['http'],
    fields: acceptedFields({ id, ...FIELDS }),
    decode: (node, context) => {
      const values = decodeFields(node, fields, context);
      checkUrls(values, node, context);
      const { type: _type, id: name, ...others } = values;
      return () => toPlan(name, others);
    },
  };
}
