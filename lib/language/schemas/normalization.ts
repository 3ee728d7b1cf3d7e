import { isObject, setMember } from '../json.ts';
import type { Draft } from './drafts.ts';

type Members = Record<string, unknown>;

/** What the value of a keyword holds: a schema, a list of schemas, either of them, or schemas by name. */
type Holds = 'schema' | 'list' | 'schema or list' | 'map';

const KEYWORDS = new Map<string, Holds>([
  ...keywords('schema', ['additionalItems', 'additionalProperties', 'contains', 'if', 'then', 'else', 'not']),
  ['propertyNames', 'schema'],
  ['items', 'schema or list'],
  ...keywords('list', ['allOf', 'anyOf', 'oneOf']),
  ...keywords('map', ['definitions', '$defs', 'dependencies', 'patternProperties', 'properties']),
]);

function keywords(holds: Holds, names: readonly string[]): [string, Holds][] {
  return names.map((name) => [name, holds]);
}

/** Keywords whose values are data, which no rule for schemas may change. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum']);

const LATER = ['if', 'then', 'else'] as const;

/** Keywords that a draft does not have: they have no effect there. */
const UNKNOWN = {
  4: ['const', 'contains', 'propertyNames', '$id', ...LATER],
  6: ['id', ...LATER],
  7: ['id'],
  any: [],
} as const satisfies Readonly<Record<Draft, readonly string[]>>;

/** Keywords of Ajv that no draft has: with `$async`, a validator returns a promise. */
const FOREIGN = ['$async', 'nullable'] as const;

/** Keywords that count beside `$ref` in Ajv, although a reference replaces all that is beside it up to draft 7. */
const BESIDE_REF = ['$id', 'id', 'type'] as const;

function mapValues(value: Members, change: (member: unknown, key: string) => unknown): Members {
  const changed: Members = {};
  for (const [key, member] of Object.entries(value)) setMember(changed, key, change(member, key));
  return changed;
}

/** Removes what looks like an identifier of a schema from the value of an unknown keyword, which has none. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (!isObject(value)) return value;
  return mapValues(
    Object.fromEntries(Object.entries(value).filter(([key]) => key !== '$id' && key !== 'id')),
    withoutIds,
  );
}

function normalizeValue(value: unknown, holds: Holds, draft: Draft): unknown {
  if (holds === 'map') return isObject(value) ? mapValues(value, (member) => normalizeSchema(member, draft)) : value;
  if (holds !== 'schema' && Array.isArray(value)) return value.map((member) => normalizeSchema(member, draft));
  return holds === 'list' ? value : normalizeSchema(value, draft);
}

/** Draft 4's bounds with a flag, as numbers of later drafts. A schema without a draft may have either. */
function changeBound(
  schema: Members,
  bound: 'minimum' | 'maximum',
  exclusive: 'exclusiveMinimum' | 'exclusiveMaximum',
): void {
  const flag = schema[exclusive];
  if (typeof flag !== 'boolean') return;
  delete schema[exclusive];
  if (!flag || typeof schema[bound] !== 'number') return;
  schema[exclusive] = schema[bound];
  delete schema[bound];
}

/** Ajv skips a property named `__proto__`, but not a pattern that matches it. */
function changeProto(schema: Members): void {
  const { properties, patternProperties } = schema;
  if (!isObject(properties) || !Object.hasOwn(properties, '__proto__')) return;
  const member = Object.entries(properties).find(isProto)?.[1];
  // Ajv reports another value as the mistake that it is.
  if (!isObject(member) && typeof member !== 'boolean') return;
  const patterns = isObject(patternProperties) ? patternProperties : {};
  schema['patternProperties'] = { ...patterns, '^(__proto__)$': member };
}

const isProto = ([key]: readonly [string, unknown]): boolean => key === '__proto__';

function changeDraft(schema: Members): void {
  changeBound(schema, 'minimum', 'exclusiveMinimum');
  changeBound(schema, 'maximum', 'exclusiveMaximum');
  if (typeof schema['id'] === 'string') schema['$id'] ??= schema['id'];
  delete schema['id'];
}

/**
 * Returns a copy of a schema with the meaning that its draft gives it, in keywords that Ajv reads so. A value that is not a
 * schema is returned as it is: Ajv rejects it.
 */
export function normalizeSchema(schema: unknown, draft: Draft): unknown {
  if (!isObject(schema)) return Array.isArray(schema) ? [...schema] : schema;
  const changed: Members = mapValues(schema, (value, key) => {
    const holds = KEYWORDS.get(key);
    if (holds !== undefined) return normalizeValue(value, holds, draft);
    return DATA.has(key) ? value : withoutIds(value);
  });
  for (const keyword of [...FOREIGN, ...UNKNOWN[draft]]) delete changed[keyword];
  if (typeof changed['$ref'] === 'string') for (const keyword of BESIDE_REF) delete changed[keyword];
  else if (draft === 'any') changeDraft(changed);
  changeProto(changed);
  return changed;
}
