import * as z from 'zod/mini';
import { parseJson } from '../../language/json-numbers.ts';
import { ownMember } from '../../language/own-members.ts';
import { KEY_HEADERS } from '../http/access.ts';
import { families } from '../registry/families.ts';
import { type QueryName, queries } from '../registry/queries.ts';
import { METHODS, type Method, type Route } from '../registry/route.ts';
import { type RouteId, rows } from '../registry/routes/index.ts';
import { inputs } from '../registry/shapes/inputs.ts';
import { type ReplyName, records, replies } from '../registry/shapes/replies.ts';
import { byteExamples, inputExamples, paramExamples, queryExamples } from './examples.ts';
import { SUMMARIES } from './summaries.ts';

type Json = Record<string, unknown>;
type Row = readonly [RouteId, Route];

const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
const replySchema = (name: ReplyName): string => `${capital(name)}Reply`;
const inputSchema = (name: string): string => `${capital(name)}Input`;
const pointer = (schema: string): Json => ({ $ref: `#/components/schemas/${schema}` });

/** The JSON Schema of every shape by its name. Shapes with a name are references. */
export function schemas(): Record<string, Json> {
  const book = z.registry<{ id: string }>();
  for (const [name, shape] of Object.entries(records)) book.add(shape, { id: capital(name) });
  for (const [name, shape] of Object.entries(replies)) book.add(shape, { id: replySchema(name as ReplyName) });
  for (const [name, shape] of Object.entries(inputs)) book.add(shape, { id: inputSchema(name) });
  const made = z.toJSONSchema(book, { uri: (id) => `#/components/schemas/${id}`, io: 'input' });
  const bare = Object.entries(made.schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema as Json]);
  return Object.fromEntries(bare);
}

/** A path template in OpenAPI's syntax, which has no greedy parameters. */
const templateOf = (path: string): string => path.replaceAll('+}', '}');

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)(\+?)\}/g)].map(([, name, greedy]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: ownMember(paramExamples, name ?? ''),
    ...(greedy ? { description: 'May contain slashes, which are not encoded.', 'x-greedy': true } : {}),
  }));
}

function queryParameter(name: QueryName): Json {
  const { type, about, ...rest } = queries[name];
  const schema = 'repeats' in rest ? { type: 'array', items: { type } } : { type };
  const text = queryExamples[name];
  const value = type === 'string' ? text : parseJson(text);
  return { name, in: 'query', description: about, schema, example: 'repeats' in rest ? [value] : value };
}

/** `op` is optional if one of the routes has none. */
function opParameter(routes: readonly Route[]): Json[] {
  const ops = routes.flatMap((route) => (route.op === undefined ? [] : [route.op]));
  if (ops.length === 0) return [];
  const required = ops.length === routes.length;
  return [{ name: 'op', in: 'query', required, description: 'The operation.', schema: { type: 'string', enum: ops } }];
}

function parametersOf(routes: readonly Route[]): Json[] {
  const names = new Set(routes.flatMap((route) => route.query ?? []));
  return [...pathParameters(routes[0]?.path ?? ''), ...opParameter(routes), ...[...names].map(queryParameter)];
}

const unique = (schemas: readonly Json[]): Json[] => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
];

/** One schema for several alternatives. */
function anyOf(schemas: readonly Json[]): Json {
  const [first, ...rest] = unique(schemas);
  return first !== undefined && rest.length === 0 ? first : { anyOf: unique(schemas) };
}

/** Content types and the schema of each. */
type Content = Readonly<Record<string, { readonly schema: Json }>>;

function bodyOf(route: Route): Content | undefined {
  if (route.body === 'json') return { 'application/json': { schema: pointer(inputSchema(route.input ?? '')) } };
  if (route.body === 'bytes') return { '*/*': { schema: {} } };
  return undefined;
}

function bodyExamples(group: readonly Row[], type: string): Json {
  const examples = group.flatMap(([id, { body, input }]): [string, unknown][] => {
    if (type === 'application/json') return input ? [[id, inputExamples[input]]] : [];
    return body === 'bytes' ? [[id, byteExamples[id]]] : [];
  });
  return Object.fromEntries(examples.map(([id, value]) => [id, { value }]));
}

function requestBody(group: readonly Row[]): Json {
  const bodies = group.map(([, route]) => bodyOf(route)).filter((body) => body !== undefined);
  if (bodies.length === 0) return {};
  const required = group.every(([, route]) => bodyOf(route) !== undefined && route.optional === undefined);
  const content = Object.entries(mergedContent(bodies)).map(([type, { schema }]) => [
    type,
    { schema, examples: bodyExamples(group, type) },
  ]);
  return { requestBody: { required, content: Object.fromEntries(content) } };
}

/** The union of several contents. */
function mergedContent(bodies: readonly Content[]): Content {
  const types = [...new Set(bodies.flatMap((body) => Object.keys(body)))];
  const schemaOf = (type: string): Json =>
    anyOf(bodies.flatMap((body): Json[] => (body[type] ? [body[type].schema] : [])));
  return Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type) }]));
}

function contentOf(name: ReplyName): Content {
  if (name === 'empty') return {};
  return name === 'bytes' ? { '*/*': { schema: {} } } : { 'application/json': { schema: pointer(replySchema(name)) } };
}

function repliesOf(route: Route): Content[] {
  const stream = route.stream ? [{ 'text/event-stream': { schema: {} } }] : [];
  return [...(route.stream === 'only' ? [] : [contentOf(route.reply)]), ...stream];
}

/** The shape of the JSON in each `data:` line, which OpenAPI cannot express for an event stream. */
function frameOf(route: Route): Json {
  const frame = route.frame ?? route.reply;
  return route.stream && frame !== 'empty' && frame !== 'bytes' ? { 'x-frame': pointer(replySchema(frame)) } : {};
}

const refusal = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: pointer('Failure') }, 'text/plain': { schema: { type: 'string' } } },
});

function responsesOf(routes: readonly Route[]): Json {
  const content = mergedContent(routes.flatMap(repliesOf));
  const isOpen = routes.every((route) => route.permission === 'none');
  return {
    200: { description: 'Success.', ...(Object.keys(content).length > 0 ? { content } : {}) },
    ...(routes.some(({ op }) => op !== undefined) ? { 405: { description: 'Unknown `op`.' } } : {}),
    ...(isOpen ? {} : { 401: refusal('Missing or unknown key.'), 403: refusal('The key does not allow this.') }),
    default: refusal('Error.'),
  };
}

/** The description of one route in a merged operation: OpenAPI does not distinguish operations by query. */
function variantOf([id, route]: Row): Json {
  return {
    operationId: id,
    ...(route.op === undefined ? {} : { op: route.op }),
    summary: SUMMARIES[id],
    tags: [route.family],
    ...(route.query ? { query: route.query } : {}),
    ...requestBody([[id, route]]),
    reply: contentOf(route.reply),
    ...frameOf(route),
    'x-permission': route.permission,
    'x-from': route.from,
  };
}

/** The name of an operation for several routes: `postNamespacesTree`. */
function mergedId(method: Method, path: string): string {
  const words = path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
  return `${method.toLowerCase()}${words.map(capital).join('')}`;
}

/** The name of the operation for the routes of a path; a list keeps its name beside operations on all of its members. */
function idOf(method: Method, group: readonly Row[]): string {
  const path = group[0]?.[1].path ?? '';
  const list = path.endsWith('}') ? undefined : group.find(([, { op }]) => op === undefined);
  return list?.[0] ?? mergedId(method, path);
}

function operationOf(method: Method, group: readonly Row[]): Json {
  const routes = group.map(([, route]) => route);
  const [only, ...others] = group;
  const isSingle = only !== undefined && others.length === 0;
  return {
    operationId: isSingle ? only[0] : idOf(method, group),
    summary: isSingle ? SUMMARIES[only[0]] : 'Executes the operation `op`; `x-operations` describes each.',
    tags: [...new Set(routes.map((route) => route.family))],
    parameters: parametersOf(routes),
    ...requestBody(group),
    responses: responsesOf(routes),
    ...(routes.every((route) => route.permission === 'none') ? { security: [] } : {}),
    ...(isSingle
      ? { ...frameOf(only[1]), 'x-permission': only[1].permission, 'x-from': only[1].from }
      : { 'x-operations': group.map(variantOf) }),
  };
}

function pathItem(path: string): Json {
  const here = rows.filter(([, route]) => route.path === path);
  const methods = METHODS.filter((method) => here.some(([, route]) => route.method === method));
  const operations = methods.map((method) => {
    const group = here.filter(([, route]) => route.method === method);
    return [method.toLowerCase(), operationOf(method, group)];
  });
  return Object.fromEntries(operations);
}

/** The schemes by which a request has its key; one of them is sufficient (rest-api reference, 16). */
export function securitySchemes(): Json {
  const headers = KEY_HEADERS.map((name) => [name, { type: 'apiKey', in: 'header', name }]);
  return { ...Object.fromEntries(headers), bearer: { type: 'http', scheme: 'bearer' } };
}

/** The semantic version of the REST API: a removed operation is a new major version (docs/releasing.md). */
export const API_VERSION = '1.0.0';

/** The OpenAPI 3.1 description of the registry. Routes with the same method and path are one operation. */
export function openapi(): Json {
  const paths = [...new Set(rows.map(([, route]) => route.path))];
  const schemes = securitySchemes();
  return {
    openapi: '3.1.1',
    info: { title: 'Weft', version: API_VERSION, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/api' }, { url: '/api/v2' }],
    security: Object.keys(schemes).map((name) => ({ [name]: [] })),
    tags: Object.entries(families).map(([name, { about }]) => ({ name, description: about })),
    paths: Object.fromEntries(paths.map((path) => [templateOf(path), pathItem(path)])),
    components: { securitySchemes: schemes, schemas: schemas() },
  };
}
