import { isObject } from '../../language/json.ts';
import { ownMember } from '../../language/own-members.ts';

/** A field of a form on a page. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'flag' | 'choice';
  /** The words of a choice. */
  readonly words: readonly string[];
  readonly isRequired: boolean;
}

const textAt = (value: Readonly<Record<string, unknown>>, name: string): string => {
  const text = ownMember(value, name);
  return typeof text === 'string' ? text : '';
};

const KINDS: Readonly<Record<string, FormField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'flag',
};

/**
 * The fields of a form: the properties of its JSON Schema that are texts, numbers, flags or one of several words. Others
 * can only be sent as JSON.
 */
export function fieldsOf(schema: unknown): readonly FormField[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).flatMap(([name, property]): FormField[] => {
    if (!isObject(property)) return [];
    const words = Array.isArray(property['enum']) ? property['enum'].filter((one) => typeof one === 'string') : [];
    const kind = words.length > 0 ? 'choice' : ownMember(KINDS, textAt(property, 'type'));
    if (kind === undefined) return [];
    const label = textAt(property, 'title') || name;
    const description = textAt(property, 'description');
    return [{ name, label, description, kind, words, isRequired: required.includes(name) }];
  });
}

/** The prefix of the fields of a form in the body of a request. */
export const FIELD_PREFIX = 'form.';

/** Reads the values of the fields from the body of a request; an empty text is no value. */
export function readFields(fields: readonly FormField[], body: URLSearchParams): Record<string, unknown> {
  const values = fields.flatMap(({ name, kind }): [string, unknown][] => {
    const text = body.get(FIELD_PREFIX + name) ?? '';
    if (kind === 'flag') return [[name, text !== '']];
    if (text === '') return [];
    // A text that is no number is left to the schema, which names the field.
    return [[name, kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text]];
  });
  return Object.fromEntries(values);
}
