import { ownMember } from '../../language/own-members.ts';
import { type FamilyName, families } from '../registry/families.ts';
import { PAGING, type QueryName, queries } from '../registry/queries.ts';
import type { Route } from '../registry/route.ts';
import { type RouteId, rows } from '../registry/routes/index.ts';
import { exampleOf } from './examples.ts';
import { schemas } from './openapi.ts';
import { SUMMARIES } from './summaries.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

const NAME = /^[A-Za-z_]\w*$/;

/** A schema as a TypeScript type on one line. */
function notation(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(notation).join(' | ');
  if (schema.prefixItems) return `[${schema.prefixItems.map(notation).join(', ')}]`;
  if (schema.items) return listOf(notation(schema.items));
  if (schema.type === 'object') return objectOf(schema);
  return [schema.type ?? 'any'].flat().join(' | ');
}

const listOf = (item: string): string => (item.includes(' | ') ? `(${item})[]` : `${item}[]`);

function objectOf({ properties, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties ?? {}).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${NAME.test(name) ? name : JSON.stringify(name)}${mark}: ${notation(schema)}`;
  });
  const others = typeof additionalProperties === 'object' ? [`[name]: ${notation(additionalProperties)}`] : [];
  const all = [...fields, ...others];
  return all.length === 0 ? '{}' : `{ ${all.join(', ')} }`;
}

const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const PAGED = 'the parameters of [lists](#lists)';
const isPaging = (name: QueryName): boolean => (PAGING as readonly QueryName[]).includes(name);

function queryLines({ query = [] }: Route): string[] {
  const own = query.filter((name) => !isPaging(name));
  const lines = own.map((name) => `  - \`${name.replace('*', 'X')}\`: ${queries[name].about}`);
  const paged = query.some(isPaging) ? [`  - ${PAGED}`] : [];
  return lines.length + paged.length === 0 ? [] : ['- Query:', ...lines, ...paged];
}

function bodyLines({ body, input, optional }: Route): string[] {
  if (body === undefined || body === 'none') return [];
  const what = input === undefined ? 'bytes' : `\`${capital(input)}Input\``;
  return [`- Body: ${what}${optional ? ', optional' : ''}`];
}

const FIXED: Readonly<Record<string, string>> = { empty: 'nothing', bytes: 'bytes' };
const replyName = (name: string): string => ownMember(FIXED, name) ?? `\`${capital(name)}Reply\``;

function replyLines({ reply, stream, frame }: Route): string[] {
  if (stream === 'only') return [`- Reply: event stream of ${replyName(frame ?? reply)}`];
  const also = stream ? `; event stream of ${replyName(frame ?? reply)}` : '';
  return [`- Reply: ${replyName(reply)}${also}`];
}

const FROM = {
  specification: 'the specification',
  clients: 'existing clients',
  weft: 'Weft only',
} as const satisfies Record<Route['from'], string>;

function exampleLines(id: RouteId, { method }: Route): string[] {
  const { path, body } = exampleOf(id);
  return ['', '```', `${method} ${path}`, ...(body === undefined ? [] : ['', body.trimEnd()]), '```'];
}

function section([id, route]: readonly [RouteId, Route]): string[] {
  const op = route.op === undefined ? '' : `?op=${route.op}`;
  return [
    `### ${id}`,
    '',
    `\`${route.method} /api${route.path}${op}\``,
    '',
    SUMMARIES[id],
    '',
    ...queryLines(route),
    ...bodyLines(route),
    ...replyLines(route),
    `- Key: ${route.permission === 'none' ? 'none needed' : `\`${route.permission}\``}; source: ${FROM[route.from]}`,
    ...exampleLines(id, route),
    '',
  ];
}

function chapter(name: FamilyName): string[] {
  const own = rows.filter(([, route]) => route.family === name);
  return [`## ${capital(name)}`, '', `${families[name].about}.`, '', ...own.flatMap(section)];
}

const HEAD = `# The REST API

You find here every operation of the REST API, with its bodies, replies and errors. This page is made from the registry
(\`lib/api/registry/routes/\`) by \`npm run docs\`. [openapi.json](openapi.json) is the machine-readable form.

Every path exists below \`/api\` and below \`/api/v2\`. \`{name+}\` may contain slashes. The API key is sent in one of the
headers \`Service-Api-Key\`, \`KEY\`, \`apikey\`, \`service-token\`, \`direktiv-token\`, \`Direktiv-Api-Key\`, or as
\`Authorization: Bearer\`. Its permission is \`read\`, \`run\`, \`write\` or \`admin\`; each includes those before it. A route
with an event stream returns one to requests with \`Accept: text/event-stream\`. A client that reconnects with the id of its
last event, in the header \`Last-Event-ID\` or the parameter \`lastEventId\`, gets no event twice. The reply to an operation
without a result is 200 without a body; the reply to an error has the shape \`Failure\`.`;

function lists(): string[] {
  const lines = PAGING.map((name) => `- \`${name}\`: ${queries[name].about}`);
  return ['## Lists', '', 'Parameters of every list:', '', ...lines, ''];
}

function shapes(): string[] {
  const lines = Object.entries(schemas()).map(([name, schema]) => `- \`${name}\`: \`${notation(schema as Schema)}\``);
  return ['## Shapes', '', 'A `?` marks an optional field.', '', ...lines];
}

const NEXT = '**Next:** [clients in TypeScript](tools.md#a-program) and [in Python](python.md), [events](events.md).';

/** The text of docs/api.md: a description of every route. */
export function handbook(): string {
  const chapters = (Object.keys(families) as FamilyName[]).flatMap(chapter);
  return `${[HEAD, '', ...chapters, ...lists(), ...shapes(), '', NEXT].join('\n')}\n`;
}
