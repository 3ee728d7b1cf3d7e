import { isObject } from '../format/json.ts';

type Json = Readonly<Record<string, unknown>>;

/** A property of a JSON schema, as a field of a form. */
export interface InputField {
  readonly name: string;
  /** The title in the schema; default: the name. */
  readonly title: string;
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'other';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly about: string;
  readonly example: unknown;
}

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

function toField(name: string, schema: Json, required: readonly unknown[]): InputField {
  const choices = Array.isArray(schema['enum']) ? schema['enum'].map(String) : [];
  const { type } = schema as { readonly type?: unknown };
  return {
    name,
    title: typeof schema['title'] === 'string' ? schema['title'] : name,
    type: TYPES.has(type) ? (type as InputField['type']) : 'other',
    choices,
    isRequired: required.includes(name),
    about: typeof schema['description'] === 'string' ? schema['description'] : '',
    example: schema['default'],
  };
}

/** The fields of the schema of an object; undefined for a schema without properties. */
export function fieldsOf(schema: unknown): readonly InputField[] | undefined {
  if (!isObject(schema) || !isObject(schema['properties'])) return undefined;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(schema['properties']).flatMap(([name, one]) =>
    isObject(one) ? [toField(name, one, required)] : [],
  );
  return fields.length === 0 ? undefined : fields;
}

/**
 * The fields of the input of a workflow: those of its `input`, else those of the schema of its first state, if this is a
 * `validate` state for the whole data. A field of `input` with a default need not be sent.
 */
export function inputSchema(document: unknown): readonly InputField[] | undefined {
  if (!isObject(document)) return undefined;
  if (document['input'] !== undefined) {
    return fieldsOf(document['input'])?.map((field) => ({
      ...field,
      isRequired: field.isRequired && field.example === undefined,
    }));
  }
  const states = Array.isArray(document['states']) ? document['states'] : [];
  const first: unknown = states[0];
  if (!isObject(first) || first['type'] !== 'validate' || first['subject'] !== undefined) return undefined;
  return fieldsOf(first['schema']);
}
