import { isScalar, type Scalar, type YAMLMap } from 'yaml';
import { parseJq } from '../../language/jq/syntax/parser.ts';
import {
  actionsOf,
  type Field,
  fieldOf,
  mapIn,
  mapsIn,
  type OldWorkflow,
  type Replacement,
  rangeOf,
} from './old-workflow.ts';
import { mayBeNull, mayHaveSeveral } from './results.ts';

/** Any script in the notation of v0.5.5 and later. */
export const SCRIPT = /\b(?:jq|js)\(/;

/** The beginning of a text that is a query rather than a word. */
const QUERY = /^\s*(?:[.[{("$]|[a-z_]+\s*\(|(?:if|reduce|foreach|not|keys|length|add|empty)\b)/;

/** The fields of states in which a text that is no query is of no use: it fails, or a condition is always true. */
function certainFields(state: YAMLMap): readonly (Field | undefined)[] {
  const conditions = mapsIn(fieldOf(state, 'conditions'));
  const events = mapsIn(fieldOf(state, 'events'));
  return [
    ...['transform', 'defaultTransform', 'array'].map((name) => fieldOf(state, name)),
    ...conditions.flatMap((one) => [fieldOf(one, 'condition'), fieldOf(one, 'transform')]),
    ...events.map((one) => fieldOf(one, 'transform')),
  ];
}

/** The other fields of states that were queries without `jq(...)`. */
function otherFields(state: YAMLMap): readonly (Field | undefined)[] {
  return [
    fieldOf(state, 'subject'),
    ...actionsOf(state).map((action) => fieldOf(action, 'input')),
    ...mapsIn(fieldOf(state, 'variables')).map((one) => fieldOf(one, 'value')),
    fieldOf(mapIn(fieldOf(state, 'event')), 'data'),
  ];
}

/** Whether a text was a query rather than a word. */
const isQuery = (text: string): boolean => QUERY.test(text) && isProgram(text);

/** Whether a text is a program of jq. */
export function isProgram(text: string): boolean {
  try {
    parseJq(text);
    return true;
  } catch {
    return false;
  }
}

/** The beginning and the end of the script that stands for the query of a field, by what the field needs. */
function bracketsOf(field: Field, program: string): readonly [before: string, after: string] {
  const ast = parseJq(program);
  if (field.name === 'array' && mayHaveSeveral(ast)) return ['jq([', '])'];
  // A condition that was null did not hold.
  if (field.name !== 'condition' || !mayBeNull(ast)) return ['jq(', ')'];
  return ast.kind === 'access' ? ['jq(', ' // false)'] : ['jq((', ') // false)'];
}

function wrap(text: string, node: Scalar, [before, after]: readonly [string, string]): Replacement {
  const { from, to } = rangeOf(node);
  const written = text.slice(from, to).trimEnd();
  const end = from + written.length;
  if (/^["']/.test(written)) {
    return { from, to: end, text: `${written[0]}${before}${written.slice(1, -1)}${after}${written[0]}` };
  }
  if (/^[|>]/.test(written)) {
    const first = /^[|>][^\n]*\n\s*/.exec(written)?.[0] ?? '';
    return { from, to: end, text: `${first}${before}${written.slice(first.length)}${after}` };
  }
  return { from, to: end, text: `'${before}${written.replaceAll("'", "''")}${after}'` };
}

/**
 * Queries were written without `jq(...)` before v0.5.5. Where a plain text has a use, it is changed only in a workflow
 * without any script, so that a plain text of a later version stays one.
 */
export function bareQueries({ text, states }: OldWorkflow) {
  const hasScripts = SCRIPT.test(text);
  const fields = states.flatMap((state) => [...certainFields(state), ...(hasScripts ? [] : otherFields(state))]);
  return fields.flatMap((field) => {
    const node = field?.value;
    if (field === undefined || !isScalar(node) || typeof node.value !== 'string' || SCRIPT.test(node.value)) return [];
    if (!isQuery(node.value)) return [];
    const note = `put the query of '${field.name}' into jq(...)`;
    return [{ at: field.from, note, replacements: [wrap(text, node, bracketsOf(field, node.value))] }];
  });
}
