import { isObject } from '../../language/json.ts';
import { ownMember } from '../../language/own-members.ts';
import { ANY, ANY_OBJECT, arrayOf, BOOLEAN, type Member, NULL, NUMBER, type Shape, STRING, unionOf } from './shape.ts';

const SIMPLE: Readonly<Record<string, Shape>> = {
  null: NULL,
  boolean: BOOLEAN,
  number: NUMBER,
  integer: NUMBER,
  string: STRING,
};

/** Keywords whose effect on the members is not followed. */
const COMBINED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties', 'if'];

/** The shape of the values that a JSON Schema accepts. A part that is not understood is `any`. */
export function shapeOfSchema(schema: unknown): Shape {
  if (!isObject(schema)) return ANY;
  const { type } = schema;
  if (Array.isArray(type)) return unionOf(type.map((one) => shapeOfSchema({ ...schema, type: one })));
  const simple = typeof type === 'string' ? ownMember(SIMPLE, type) : undefined;
  if (simple !== undefined) return simple;
  if (type === 'array') return arrayOf('items' in schema ? shapeOfSchema(schema['items']) : ANY);
  // Without a type, the keywords of objects do not exclude other values.
  return type === 'object' ? shapeOfObject(schema) : ANY;
}

/** The shape of the data that a workflow describes by the schema of its input. */
export function shapeOfInput(schema: unknown): Shape {
  return isObject(schema) ? described(shapeOfSchema({ ...schema, type: 'object' })) : ANY_OBJECT;
}

/** The shape with a mark at each open object that has known members. */
function described(shape: Shape): Shape {
  if (shape.kind !== 'object') return shape;
  const members = [...shape.members].map(([key, member]): [string, Member] => [
    key,
    { ...member, shape: described(member.shape) },
  ]);
  return { ...shape, members: new Map(members), ...(shape.isOpen && members.length > 0 && { isDescribed: true }) };
}

function shapeOfObject(schema: Readonly<Record<string, unknown>>): Shape {
  const { properties, required, additionalProperties } = schema;
  if (COMBINED.some((keyword) => Object.hasOwn(schema, keyword))) return ANY_OBJECT;
  const names = Array.isArray(required) ? required : [];
  const members = Object.entries(isObject(properties) ? properties : {}).map(([key, inner]): [string, Member] => [
    key,
    { shape: shapeOfSchema(inner), isOptional: !names.includes(key) },
  ]);
  return { kind: 'object', members: new Map(members), isOpen: additionalProperties !== false };
}
