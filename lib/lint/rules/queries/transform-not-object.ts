import type { Ast } from '../../../language/jq/syntax/ast.ts';
import { JqSyntaxError } from '../../../language/jq/syntax/errors.ts';
import { isNumber } from '../../../language/json-numbers.ts';
import type { QueryView } from '../../document/queries.ts';
import type { Workflow } from '../../document/workflow.ts';
import { asQuery } from '../../mends/scalars.ts';
import type { Mend } from '../../reports/finding.ts';
import type { Rule } from '../../reports/rule.ts';

/** The kind of the results of a jq program, if they are certainly no objects. */
export function kindOf(ast: Ast): string | undefined {
  switch (ast.kind) {
    case 'pipe':
      return kindOf(ast.right);
    case 'bind':
    case 'def':
    case 'label':
      return kindOf(ast.body);
    case 'string':
    case 'format':
      return 'a text';
    case 'array':
      return 'a list';
    case 'negate':
      return 'a number';
    case 'literal':
      return typeof ast.value === 'number' ? 'a number' : typeof ast.value === 'boolean' ? 'a boolean' : undefined;
    case 'binary':
      return /^([=!<>]=?|and|or)$/.test(ast.operator) ? 'a boolean' : undefined;
    case 'call':
      return CALLS[`${ast.name}/${ast.args.length}`];
    default:
      return undefined;
  }
}

const CALLS: Readonly<Record<string, string>> = {
  'length/0': 'a number',
  'tonumber/0': 'a number',
  'tostring/0': 'a text',
  'tojson/0': 'a text',
  'join/1': 'a text',
  'keys/0': 'a list',
  'map/1': 'a list',
  'to_entries/0': 'a list',
  'not/0': 'a boolean',
  'has/1': 'a boolean',
};

function wrongKind({ node, texts }: QueryView): string | undefined {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return undefined;
  if (node.value === null) return undefined;
  if (typeof node.value !== 'string') return isNumber(node.value) ? 'a number' : 'a boolean';
  const [text] = texts;
  const trimmed = node.text.trim();
  if (text === undefined || text.unclosed !== undefined || node.value === '' || node.value === '.') return undefined;
  const [script] = text.scripts;
  if (script === undefined) return trimmed === '' ? undefined : 'a plain text';
  if (!script.isWhole) return 'a text';
  const { program } = script;
  return program === undefined || program instanceof JqSyntaxError ? undefined : kindOf(program);
}

/** Puts the result of a script under a name. */
function underName({ texts }: QueryView): Mend | undefined {
  const [script] = texts[0]?.scripts ?? [];
  if (script?.isWhole !== true || script.kind !== 'jq') return undefined;
  const [begin, end] = [script.at(0), script.at(script.source.length)];
  const edits = [
    { from: begin, to: begin, text: '. + {result:(' },
    { from: end, to: end, text: ')}' },
  ];
  return { title: 'keep the data and add the result to it', edits, isCertain: false };
}

/** Makes a plain text a query. */
const ofText = (workflow: Workflow, { node }: QueryView): Mend | undefined =>
  node.kind === 'scalar' ? asQuery(workflow, node) : undefined;

export const transformNotObject: Rule = {
  severity: 'warning',
  about:
    'The result of a `transform` replaces the whole data and must be an object. Any other result fails with `service.jq.notObject`.',
  wrong: `states:
- id: names
  type: noop
  transform: jq(.users | map(.name))
`,
  right: `states:
- id: names
  type: noop
  transform:
    names: jq(.users | map(.name))
`,
  *check(workflow) {
    for (const { queries } of workflow.states) {
      for (const query of queries.filter(({ role }) => role === 'transform')) {
        const kind = wrongKind(query);
        if (kind === undefined) continue;
        const hint =
          kind === 'a plain text' ? 'write jq(...), or a map of fields' : "write a map of fields, or '. + {field: …}'";
        const mend = kind === 'a plain text' ? ofText(workflow, query) : underName(query);
        const message = `the result of the transform is ${kind}, not an object`;
        yield { at: query.node, message, hint, ...(mend && { mend }) };
      }
    }
  },
};
