import type { Accepted, AcceptedFields } from '../../compiler/decoding/accepted.ts';
import { IDENTIFIER_PATTERN, MAX_IDENTIFIER_LENGTH } from '../../compiler/parts/identifiers.ts';
import type { Json } from '../../language/yaml/parser.ts';
import { DURATION_PATTERN } from '../../time/durations.ts';
import {
  describeField,
  describeInnerField,
  describeWorkflowField,
  type LanguageType,
  type SectionName,
  TYPES,
  WORKFLOW,
} from './language.ts';

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, Json>>;

/** The `$id` of the JSON Schema of workflows: it does not depend on the service that sends it. */
const SCHEMA_ID = 'urn:weft:schema:workflow';

/** Values of an optional field: null counts as absent. */
const orNull = (type: string, isRequired: boolean): Json => (isRequired ? type : [type, 'null']);

/** The schema of values of each kind. */
const KINDS: {
  readonly [K in Accepted['kind']]: (accepted: Extract<Accepted, { readonly kind: K }>, field: string) => Schema;
} = {
  text: ({ isRequired = false }) => ({ type: orNull('string', isRequired), ...(isRequired && { minLength: 1 }) }),
  flag: ({ isRequired = false }) => ({ type: orNull('boolean', isRequired) }),
  number: ({ isRequired = false }) => ({ type: orNull('number', isRequired) }),
  integer: ({ isRequired = false, minimum }) => ({
    type: orNull('integer', isRequired),
    ...(minimum === undefined ? {} : { minimum }),
  }),
  query: ({ isRequired = false }) => (isRequired ? { not: { enum: [null, ''] } } : {}),
  map: ({ isRequired = false }) => ({ type: orNull('object', isRequired) }),
  schema: ({ isRequired = false }) => ({ type: isRequired ? ['object', 'boolean'] : ['object', 'boolean', 'null'] }),
  state: ({ isRequired = false }) => ({ type: orNull('string', isRequired) }),
  function: ({ isRequired = false }) => ({ type: orNull('string', isRequired), ...(isRequired && { minLength: 1 }) }),
  identifier: () => ({ type: 'string', pattern: IDENTIFIER_PATTERN, maxLength: MAX_IDENTIFIER_LENGTH }),
  duration: ({ isRequired = false, words = [] }) => {
    const options = [...words, ...(isRequired ? [] : ['']), DURATION_PATTERN.slice(1, -1)];
    return { type: orNull('string', isRequired), pattern: `^(?:${options.join('|')})$` };
  },
  words: ({ words }) => ({ enum: [...words] }),
  list: ({ isRequired = false, of }, field) => ({
    type: orNull('array', isRequired),
    items: schemaOf(of, field),
    ...(isRequired && { minItems: 1 }),
  }),
  object: ({ isRequired = false, fields, isLenient }, field) => ({
    type: orNull('object', isRequired),
    ...schemaOfFields(fields, (name) => describeInnerField(field, name)),
    ...(!isLenient && { additionalProperties: false }),
  }),
};

/** The schema of a value; `field` is the field that has it, or the list of such values. Elements of lists are never null. */
function schemaOf(accepted: Accepted, field: string): Schema {
  const toSchema = KINDS[accepted.kind] as (accepted: Accepted, field: string) => Schema;
  const { except } = accepted;
  return { ...toSchema(accepted, field), ...(except !== undefined && { not: { const: except } }) };
}

/** A pattern that matches the names in any case, as the compiler does (workflow-language 1.2). */
function anyCase(names: readonly string[]): string {
  const letter = (one: string): string => (/[a-z]/i.test(one) ? `[${one.toLowerCase()}${one.toUpperCase()}]` : one);
  return `^(?:${names.map((name) => [...name].map(letter).join('')).join('|')})$`;
}

/** The part of a schema about the fields of a map, whose names match in any case. */
export function schemaOfFields(fields: AcceptedFields, describe: (field: string) => string | undefined): Schema {
  const all = Object.entries(fields);
  const properties = all.map(([name, accepted]) => {
    const description = describe(name);
    return [name, { ...(description !== undefined && { description }), ...schemaOf(accepted, name) }] as const;
  });
  const required = all.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
  return {
    properties: Object.fromEntries(properties),
    // Names in another case are allowed without a check of their values: a schema cannot name a property twice.
    patternProperties: { [anyCase(all.map(([name]) => name))]: true },
    ...(required.length > 0 && { required }),
  };
}

function typeSchema(section: SectionName, type: LanguageType): Schema {
  const described = schemaOfFields(type.fields, (field) => describeField(section, type, field));
  const description = describeField(section, undefined, 'type') ?? '';
  const properties = { type: { description, enum: [...type.names] }, ...(described['properties'] as Schema) };
  const required = ['type', ...((described['required'] as string[] | undefined) ?? [])];
  return {
    description: type.description,
    type: 'object',
    ...described,
    properties,
    required,
    additionalProperties: false,
  };
}

const nameOf = (section: SectionName, { names }: LanguageType): string => `${section}.${names[0]}`;

/** The schema of a state, a function or the start: its `type` selects the fields. */
const sectionSchema = (section: SectionName): Schema => ({
  anyOf: TYPES[section].map((type) => ({ $ref: `#/definitions/${nameOf(section, type)}` })),
});

/** The JSON Schema of workflow texts, draft 7: every text that the compiler accepts, and few others. */
export function workflowSchema(): Schema {
  const described = schemaOfFields(WORKFLOW, describeWorkflowField);
  const properties = described['properties'] as Readonly<Record<string, Schema>>;
  const sections = {
    states: { ...properties['states'], type: 'array', minItems: 1, items: { $ref: '#/definitions/state' } },
    functions: { ...properties['functions'], type: 'array', items: { $ref: '#/definitions/function' } },
    start: { ...properties['start'], $ref: '#/definitions/start' },
  };
  const types = (Object.keys(TYPES) as SectionName[]).flatMap((section) =>
    TYPES[section].map((type) => [nameOf(section, type), typeSchema(section, type)] as const),
  );
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: SCHEMA_ID,
    title: 'Workflow',
    type: 'object',
    ...described,
    properties: { ...properties, ...sections },
    required: ['states'],
    additionalProperties: false,
    definitions: {
      state: sectionSchema('states'),
      function: sectionSchema('functions'),
      start: sectionSchema('start'),
      ...Object.fromEntries(types),
    },
  };
}
