import { type Ast, commaParts } from '../../../language/jq/syntax/ast.ts';
import { JqSyntaxError } from '../../../language/jq/syntax/errors.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import type { QueryView } from '../../document/queries.ts';
import type { Script } from '../../document/scripts.ts';
import type { Workflow } from '../../document/workflow.ts';
import type { Mend } from '../../reports/finding.ts';
import { allScripts, type Rule, replaceInScript } from '../../reports/rule.ts';

/** The least and the most results that a program certainly has; undefined where they depend on the data. */
function countOf(ast: Ast): number | undefined {
  switch (ast.kind) {
    case 'identity':
    case 'literal':
    case 'format':
    case 'array':
    case 'variable':
      return 1;
    case 'string':
      return ast.parts.every((part) => typeof part === 'string') ? 1 : undefined;
    case 'comma':
      return commaParts(ast).map(countOf).reduce(sum, 0);
    case 'pipe':
      return countOf(ast.left) === 1 ? countOf(ast.right) : countOf(ast.right) === 0 ? 0 : undefined;
    case 'access':
      return countOf(ast.key) === 1 ? countOf(ast.base) : undefined;
    case 'call':
      return ast.name === 'empty' && ast.args.length === 0 ? 0 : undefined;
    default:
      return undefined;
  }
}

const sum = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined || right === undefined ? undefined : left + right;

/** True for a list whose elements the program returns one by one: `.items[]`. */
const isSpread = (ast: Ast): boolean =>
  ast.kind === 'iterate' ||
  (ast.kind === 'pipe' && isSpread(ast.right)) ||
  (ast.kind === 'access' && isSpread(ast.base));

/** Replaces the program by the empty value that fits the place: a list, an object or a text. */
function withEmptyValue(workflow: Workflow, script: Script, { role, node }: QueryView): Mend | undefined {
  const isTransform = role === 'transform' && script.isWhole && node.kind === 'scalar';
  const text = role === 'array' ? '[]' : isTransform ? '{}' : '""';
  return replaceInScript(workflow, script, { from: 0, to: script.source.length, text });
}

const placeOf = (script: Script, { from, to }: Ast) => ({ at: script.at(from), end: script.at(to) });

/** Puts brackets around the program. */
function inList(script: Script): Mend {
  const [begin, end] = [script.at(0), script.at(script.source.length)];
  const edits = [
    { from: begin, to: begin, text: '[' },
    { from: end, to: end, text: ']' },
  ];
  return { title: 'collect the results in a list', edits, isCertain: false };
}

export const querySeveralResults: Rule = {
  severity: 'warning',
  about:
    'A query must have exactly one result, which must not be null. `jq(.a, .b)` has two, `jq(empty)` has none, and the elements of `jq(.items[])` are one result each: the state fails with `service.jq.badCommand`.',
  wrong: `states:
- id: names
  type: noop
  transform:
    both: jq(.first, .last)
`,
  right: `states:
- id: names
  type: noop
  transform:
    both: jq([.first, .last])
`,
  *check(workflow) {
    for (const { script, query } of allScripts(workflow)) {
      const { program } = script;
      if (program === undefined || program instanceof JqSyntaxError) continue;
      const count = countOf(program);
      const isNull = program.kind === 'literal' && program.value === null;
      if (count === 0 || isNull)
        yield {
          ...placeOf(script, program),
          message: `jq: the query has no result${isNull ? ': null counts as none' : ''}`,
          hint: 'a query always has a result: write an empty value',
          ...omitUndefined({ mend: withEmptyValue(workflow, script, query) }),
        };
      else if (count !== undefined && count > 1)
        yield {
          ...placeOf(script, program),
          message: `jq: the query has ${count} results, and exactly one is allowed`,
          hint: 'put brackets [ ] around it',
          mend: inList(script),
        };
      else if (isSpread(program) && query.role === 'array' && script.isWhole)
        yield {
          ...placeOf(script, program),
          message: 'jq: each element of the list is a result of its own, and exactly one result is allowed',
          hint: 'leave out the [] at the end',
          mend: inList(script),
        };
    }
  },
};
