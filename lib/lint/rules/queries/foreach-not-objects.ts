import { type Ast, commaParts } from '../../../language/jq/syntax/ast.ts';
import { JqSyntaxError } from '../../../language/jq/syntax/errors.ts';
import type { ListNode } from '../../../language/yaml/parser.ts';
import type { Workflow } from '../../document/workflow.ts';
import { asQuery } from '../../mends/scalars.ts';
import type { Mend } from '../../reports/finding.ts';
import type { Rule } from '../../reports/rule.ts';

const isPlain = (ast: Ast): boolean =>
  ast.kind === 'literal' || ast.kind === 'string' || (ast.kind === 'comma' && commaParts(ast).every(isPlain));

/** The elements of the list that a program builds are certainly no objects. */
const hasPlainElements = (ast: Ast): boolean =>
  (ast.kind === 'array' && ast.body !== undefined && (isPlain(ast.body) || isRange(ast.body))) ||
  (ast.kind === 'call' && ['keys', 'keys_unsorted', 'explode', 'split'].includes(ast.name)) ||
  (ast.kind === 'pipe' && hasPlainElements(ast.right));

const isRange = (ast: Ast): boolean => ast.kind === 'call' && ast.name === 'range';

/** Makes an object of each element that is a plain value in one line. */
function wrappedElements({ source }: Workflow, { items }: ListNode): Mend | undefined {
  const edits = items.flatMap((item) => {
    if (item.kind !== 'scalar') return [];
    const begin = source.offsetOf(item);
    const quote = /^['"]/.exec(source.text.slice(begin))?.[0] ?? '';
    const end = begin + item.text.length + 2 * quote.length;
    if (source.text.slice(begin, end) !== quote + item.text + quote) return [];
    const [from, to] = [source.at(begin), source.at(end)];
    return [
      { from, to: from, text: '{value: ' },
      { from: to, to, text: '}' },
    ];
  });
  return edits.length < items.length * 2
    ? undefined
    : { title: 'make objects with a field value', edits, isCertain: false };
}

export const foreachNotObjects: Rule = {
  severity: 'warning',
  about:
    'The `array` of a `foreach` must be a list of objects: each element is the data of its own call. Other elements fail with `service.jq.notObject`, and a value that is no list with `service.foreach.badArray`.',
  wrong: `functions:
- {id: greet, type: subflow, workflow: greet}
states:
- id: all
  type: foreach
  array: [Ada, Grace]
  action: {function: greet}
`,
  right: `functions:
- {id: greet, type: subflow, workflow: greet}
states:
- id: all
  type: foreach
  array: [{name: Ada}, {name: Grace}]
  action: {function: greet}
`,
  *check(workflow) {
    const queries = workflow.states.flatMap((state) => state.queries.filter(({ role }) => role === 'array'));
    for (const { node, texts } of queries) {
      const hint = "make objects of them: 'jq([.names[] | {name: .}])'";
      const [text] = texts;
      const [script] = text?.scripts ?? [];
      if (node.kind === 'map')
        yield { at: node, message: 'foreach needs a list, and this is a map', hint: 'write a list, or a jq(...)' };
      else if (node.kind === 'list') {
        const plain = node.items.find(
          (item) => item.kind === 'list' || (item.kind === 'scalar' && !/j[qs]\(/.test(item.text)),
        );
        const mend = wrappedElements(workflow, node);
        const message = 'the elements of foreach must be objects';
        if (plain !== undefined)
          yield { at: plain, message, hint: 'write objects, such as {value: …}', ...(mend && { mend }) };
      } else if (text?.unclosed === undefined && script === undefined) {
        const mend = asQuery(workflow, node);
        const message = 'foreach needs a list, and this is a plain value';
        yield { at: node, message, hint: 'write jq(...)', ...(mend && { mend }) };
      } else if (script?.isWhole && script.program !== undefined && !(script.program instanceof JqSyntaxError)) {
        const { from, to } = script.program;
        const at = script.at(from);
        const edits = [
          { from: script.at(0), to: script.at(0), text: '[(' },
          { from: script.at(script.source.length), to: script.at(script.source.length), text: ')[] | {value:.}]' },
        ];
        const mend = { title: 'make objects with a field value', edits, isCertain: false };
        const message = 'the elements of foreach must be objects';
        if (hasPlainElements(script.program)) yield { at, end: script.at(to), message, hint, mend };
      }
    }
  },
};
