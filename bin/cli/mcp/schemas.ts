import { compile } from '../../../lib/compiler/compile.ts';
import { inputSchemaOf, type ObjectSchema } from '../../../lib/compiler/input-schema.ts';

/** The arguments of a tool that runs a workflow: its input. Any object where it has no schema. */
export function argumentsOf(source: string): ObjectSchema {
  const compiled = compile(source);
  return ('plan' in compiled ? inputSchemaOf(compiled.plan) : undefined) ?? { type: 'object' };
}

/** Text fields with their descriptions; those that end in `?` are optional. */
export function textFields(fields: Readonly<Record<string, string>>): ObjectSchema {
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
