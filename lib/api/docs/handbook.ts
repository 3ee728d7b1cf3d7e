import { type FamilyName, families } from '../registry/families.ts';
import { PAGING, type QueryName, queries } from '../registry/queries.ts';
import type { Route } from '../registry/route.ts';
import { type RouteId, rows } from '../registry/routes/index.ts';
import { exampleOf } from './examples.ts';
import { schemas } from './openapi.ts';

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

/** A schema in the words of TypeScript, on one line. */
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
  const what = input === undefined ? 'bytes, as they are' : `\`${capital(input)}Input\``;
  return [`- Body: ${what}${optional ? ', or nothing' : ''}`];
}

const FIXED: Readonly<Record<string, string>> = { empty: 'nothing', bytes: 'bytes, as they are' };
const replyName = (name: string): string => FIXED[name] ?? `\`${capital(name)}Reply\``;

function replyLines({ reply, stream, frame }: Route): string[] {
  if (stream === 'only') return [`- Reply: event stream of ${replyName(frame ?? reply)}`];
  const also = stream ? `; as an event stream ${replyName(frame ?? reply)}` : '';
  return [`- Reply: ${replyName(reply)}${also}`];
}

const FROM = {
  specification: 'the specification',
  clients: 'clients in use',
  weft: 'Weft alone',
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
    route.about,
    '',
    ...queryLines(route),
    ...bodyLines(route),
    ...replyLines(route),
    `- Key: ${route.permission === 'none' ? 'none needed' : `\`${route.permission}\``}; known from ${FROM[route.from]}`,
    ...exampleLines(id, route),
    '',
  ];
}

function chapter(name: FamilyName): string[] {
  const own = rows.filter(([, route]) => route.family === name);
  return [`## ${capital(name)}`, '', `${families[name].about}.`, '', ...own.flatMap(section)];
}

const HEAD = `# The interface

Made from the registry (\`lib/api/registry/routes.ts\`) by \`npm run docs\`; \`docs/openapi.json\` says the same to machines.

Every path works below \`/api\` and below \`/api/v2\`. \`{name+}\` may hold slashes. A key goes into one of the headers
\`Service-Api-Key\`, \`KEY\`, \`apikey\`, \`service-token\`, \`direktiv-token\`, \`Direktiv-Api-Key\`, or
\`Authorization: Bearer\`; what it may do grows from \`read\` over \`run\` and \`write\` to \`admin\`. A reply that can be an
event stream is one for whoever sends \`Accept: text/event-stream\`; who comes again with the id of its last event, in
the header \`Last-Event-ID\` or the parameter \`lastEventId\`, gets nothing twice. An operation with nothing to tell
replies 200 without a body; an error replies with the shape \`Failure\`.`;

function lists(): string[] {
  const lines = PAGING.map((name) => `- \`${name}\`: ${queries[name].about}`);
  return ['## Lists', '', 'Every list understands:', '', ...lines, ''];
}

function shapes(): string[] {
  const lines = Object.entries(schemas()).map(([name, schema]) => `- \`${name}\`: \`${notation(schema as Schema)}\``);
  return ['## Shapes', '', 'A `?` marks what may be left out.', '', ...lines];
}

/** The description of every route for people, in Markdown. */
export function handbook(): string {
  const chapters = (Object.keys(families) as FamilyName[]).flatMap(chapter);
  return `${[HEAD, '', ...chapters, ...lists(), ...shapes()].join('\n')}\n`;
}
