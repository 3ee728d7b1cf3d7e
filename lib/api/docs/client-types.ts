import { ownMember, textOf } from '../../language/own-members.ts';

/** Writes the OpenAPI description as TypeScript for the client of the API, which imports nothing of the service. */

/** A JSON Schema, as the description has it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation {
  readonly operationId: string;
  readonly op?: string;
  readonly query?: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
  readonly reply?: Content;
  readonly 'x-operations'?: readonly Operation[];
  readonly 'x-permission'?: string;
  readonly 'x-frame'?: Schema;
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name));
const inUnion = (type: string): string => (type.includes(' | ') ? `(${type})` : type);

const BASIC: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `readonly ${keyOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0) {
    // A property of another type would contradict the index signature.
    const rest = fields.length === 0 ? typeOf(additionalProperties) : 'unknown';
    fields.push(`readonly [name: string]: ${rest}`);
  } else if (additionalProperties !== undefined && additionalProperties !== false) {
    fields.push('readonly [name: string]: unknown');
  }
  return fields.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${fields.join('; ')} }`;
}

function arrayType({ items, prefixItems }: Schema): string {
  if (prefixItems !== undefined) return `readonly [${prefixItems.map(typeOf).join(', ')}]`;
  return `readonly ${inUnion(typeOf(typeof items === 'object' ? items : {}))}[]`;
}

/** The TypeScript type of a schema; `unknown` for one that permits everything. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.enum !== undefined) return schema.enum.map((one) => quoted(textOf(one))).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  if (schema.type === 'object') return objectType(schema);
  if (schema.type === 'array') return arrayType(schema);
  return ownMember(BASIC, textOf(schema.type)) ?? 'unknown';
}

/** An operation with its place. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** All operations, those that share a path and a method too. */
export function* rowsOf({ paths }: Description): Generator<Row> {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      for (const one of operation['x-operations'] ?? [operation]) {
        yield { method: method.toUpperCase(), path, operation: one };
      }
    }
  }
}

const schemaIn = (content: Content | undefined): Schema | undefined => content?.['application/json']?.schema;

function bodyType({ requestBody }: Operation): string {
  if (requestBody === undefined) return 'undefined';
  const json = schemaIn(requestBody.content);
  const type = json === undefined ? 'Bytes' : typeOf(json);
  return requestBody.required === false ? `${inUnion(type)} | undefined` : type;
}

const replyContent = ({ reply, responses }: Operation): Content => reply ?? responses?.['200']?.content ?? {};

/** The schema of the operation's reply; undefined if it is not JSON. */
export const replySchema = (operation: Operation): Schema | undefined => schemaIn(replyContent(operation));

/** The type of the operation's reply: that of its JSON, `Blob` for another media type, `undefined` without a body. */
function replyType(operation: Operation): string {
  const content = replyContent(operation);
  const json = schemaIn(content);
  if (json !== undefined) return typeOf(json);
  return '*/*' in content ? 'Blob' : 'undefined';
}

const paramsOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
const queryOf = ({ query, parameters = [] }: Operation): string[] =>
  (query ?? parameters.filter((one) => one.in === 'query').map(({ name }) => name)).filter((name) => name !== 'op');

function signatureOf({ path, operation }: Row): string {
  const params = paramsOf(path).map((name) => `readonly ${name}: string`);
  const query = queryOf(operation).map(quoted).join(' | ') || 'never';
  const frame = operation['x-frame'] === undefined ? 'never' : typeOf(operation['x-frame']);
  const path_ = params.length === 0 ? 'Empty' : `{ ${params.join('; ')} }`;
  return [
    `  ${operation.operationId}: {`,
    `    path: ${path_};`,
    `    query: ${query};`,
    `    body: ${bodyType(operation)};`,
    `    reply: ${replyType(operation)};`,
    `    frame: ${frame};`,
    '  };',
  ].join('\n');
}

/** How a client reads the reply: as JSON, as bytes, or not at all. */
export function replyKind(operation: Operation): string {
  const type = replyType(operation);
  return type === 'undefined' ? 'none' : type === 'Blob' ? 'bytes' : 'json';
}

/** The `op` of an operation; if no other route has its method and path, it is the only value of the parameter `op`. */
export function opOf({ op, parameters = [] }: Operation): string | undefined {
  const values = parameters.find(({ name }) => name === 'op')?.schema?.enum ?? [];
  return op ?? (values.length === 1 ? textOf(values[0]) : undefined);
}

function rowText({ method, path, operation }: Row): string {
  const permission = operation['x-permission'] ?? 'none';
  const name = opOf(operation);
  const op = name === undefined ? '' : `, op: ${quoted(name)}`;
  const head = `method: ${quoted(method)}, path: ${quoted(path)}${op}, permission: ${quoted(permission)}`;
  return `  ${operation.operationId}: { ${head}, reply: ${quoted(replyKind(operation))} },`;
}

const HEAD = `// Made from docs/openapi.json by \`npm run docs\`.
// biome-ignore-all format: generated, a row a line, so that a change of the API shows as its rows

type Empty = Readonly<Record<never, never>>;
type Bytes = string | Blob | Uint8Array<ArrayBuffer>;
`;

/** The types of all shapes, the signature of each operation, and the table by which the client makes its requests. */
export function clientTypes(description: Description): string {
  const schemas = Object.entries(description.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  const rows = [...rowsOf(description)];
  return [
    HEAD,
    schemas.join('\n'),
    `\nexport interface Operations {\n${rows.map(signatureOf).join('\n')}\n}`,
    `\n/** Method, path below /api, \`op\`, the permission that a key needs, and how the reply is read. */\nexport const operations = {\n${rows.map(rowText).join('\n')}\n} as const;\n`,
  ].join('\n');
}
