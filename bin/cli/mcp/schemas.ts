import { compile } from '../../../lib/compiler/compile.ts';
import { ownMember } from '../../../lib/language/own-members.ts';

/** A JSON Schema of an object, as the protocol describes the arguments of a tool. */
export interface InputSchema {
  readonly [key: string]: unknown;
  readonly type: 'object';
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: string[];
}

const ANY: InputSchema = { type: 'object' };

/** The schema that the first state of a workflow validates its input by; any object for another workflow. */
export function inputSchemaOf(source: string): InputSchema {
  const compiled = compile(source);
  if ('problems' in compiled) return ANY;
  const first = ownMember(compiled.plan.states, compiled.plan.entry)?.work;
  if (first?.do !== 'validate') return ANY;
  const { schema, subject } = first;
  const isWhole = subject === undefined || subject === 'jq(.)';
  const isObject = typeof schema === 'object' && schema !== null && (schema as { type?: unknown }).type === 'object';
  return isWhole && isObject ? (schema as InputSchema) : ANY;
}

/** Text fields with their descriptions; those that end in `?` are optional. */
export function textFields(fields: Readonly<Record<string, string>>): InputSchema {
  const names = Object.keys(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name.replace('?', ''), { type: 'string', description: fields[name] }]),
    ),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}
