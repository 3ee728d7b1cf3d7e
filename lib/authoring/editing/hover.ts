import type { Accepted } from '../../compiler/decoding/accepted.ts';
import type { Position } from '../../language/position.ts';
import { scalarText } from '../../language/yaml/node.ts';
import { typeOf } from '../schema/language.ts';
import type { FieldView } from './fields.ts';
import { nameAt } from './names.ts';
import { contains, type OpenText, type Range, rangeOfKey, rangeOfScalar } from './open-text.ts';

/** A text in Markdown about a part of a workflow. */
export interface Hover {
  readonly range: Range;
  readonly markdown: string;
}

/** The names of the kinds of values. */
const KIND_NAMES: Readonly<Record<Accepted['kind'], string>> = {
  text: 'text',
  flag: 'true or false',
  number: 'number',
  integer: 'whole number',
  query: 'query',
  map: 'map',
  schema: 'JSON Schema',
  state: 'id of a state',
  function: 'id of a function',
  identifier: 'id',
  duration: 'duration',
  words: 'one of',
  list: 'list',
  object: 'map',
};

/** The kind of a value in words, for example `one of and, or`. */
function describeKind(accepts: Accepted): string {
  const name = KIND_NAMES[accepts.kind];
  if (accepts.kind === 'words') return `${name} ${accepts.words.join(', ')}`;
  return accepts.isRequired ? `${name}, required` : name;
}

function aboutField({ rules, name, accepts }: FieldView): string | undefined {
  if (name === undefined || accepts === undefined) return undefined;
  const head = name === 'type' ? '**type**' : `**${name}** (${describeKind(accepts)})`;
  return [head, rules.describe(name) ?? ''].join('\n\n').trimEnd();
}

function aboutType({ rules, name, entry }: FieldView): string | undefined {
  if (name !== 'type' || rules.section === undefined) return undefined;
  const type = typeOf(rules.section, scalarText(entry.node));
  if (type === undefined) return undefined;
  const fields = Object.entries(type.fields).map(([field, accepts]) => `- \`${field}\` (${describeKind(accepts)})`);
  return [`**${scalarText(entry.node)}**`, type.description, fields.join('\n')].join('\n\n');
}

/** The type and the description of the state or function that a name refers to. */
function aboutName(text: OpenText, at: Position): string | undefined {
  const found = nameAt(text, at);
  const workflow = text.workflow();
  if (found === undefined || workflow === undefined || found.kind === 'workflow') return undefined;
  const section = found.kind === 'state' ? 'states' : 'functions';
  const { plan, line } = workflow[section].find(({ id }) => id === found.name) ?? {};
  if (plan === undefined) return undefined;
  const description = typeOf(section, plan.type)?.description ?? '';
  return `**${found.name}**: ${found.kind} of the type \`${plan.type}\`, line ${line}\n\n${description}`;
}

/** Returns the meaning of the field, type or name at a position; undefined if the language gives it none. */
export function hoverAt(text: OpenText, at: Position): Hover | undefined {
  for (const field of text.fields()) {
    const key = rangeOfKey(field);
    const aboutKey = contains(key, at) ? aboutField(field) : undefined;
    if (aboutKey !== undefined) return { range: key, markdown: aboutKey };
    const value = rangeOfScalar(text, field.entry.node);
    if (value === undefined || !contains(value, at)) continue;
    const markdown = aboutType(field) ?? aboutName(text, at);
    if (markdown !== undefined) return { range: value, markdown };
  }
  return undefined;
}
