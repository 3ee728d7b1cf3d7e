import { compile } from '../../../lib/compiler/compile.ts';
import { inputSchemaOf } from '../../../lib/compiler/input-schema.ts';
import { toJson } from '../../../lib/language/json.ts';
import { toTable } from '../shell/command.ts';

/** How a member of the input is written in the arguments of `weft exec`. */
function writtenAs(name: string, { type }: { readonly type?: unknown }): string {
  if (type === 'string') return `${name}=TEXT`;
  return `${name}:=${typeof type === 'string' ? type.toUpperCase() : 'JSON'}`;
}

/** The members of the input of a workflow, one a line; a sentence for a text with problems, or without a schema. */
export function inputLines(file: string, source: string): readonly string[] {
  const compiled = compile(source);
  if ('problems' in compiled) return [`${file} has problems: 'weft validate ${file}' lists them.`];
  const { properties = {}, required = [] } = inputSchemaOf(compiled.plan) ?? {};
  const rows = Object.entries(properties).map(([name, member]) => {
    const field = member as { readonly [key: string]: unknown };
    const { enum: words, default: value, description } = field;
    const notes = [
      required.includes(name) ? 'required' : '',
      Array.isArray(words) ? `one of ${words.map(toJson).join(', ')}` : '',
      value === undefined ? '' : `default ${toJson(value)}`,
      typeof description === 'string' ? description : '',
    ];
    return [`  ${writtenAs(name, field)}`, notes.filter((note) => note !== '').join('; ')];
  });
  if (rows.length === 0) return [`${file} takes any input.`];
  return [`Input of ${file}:`, ...toTable(rows).split('\n')];
}
