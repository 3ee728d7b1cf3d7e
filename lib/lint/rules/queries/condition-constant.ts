import type { Ast } from '../../../language/jq/syntax/ast.ts';
import { JqSyntaxError } from '../../../language/jq/syntax/errors.ts';
import type { ScalarNode } from '../../../language/yaml/parser.ts';
import type { QueryText, QueryView } from '../../document/queries.ts';
import type { Script } from '../../document/scripts.ts';
import type { Workflow } from '../../document/workflow.ts';
import { asOneQuery, asQuery } from '../../mends/scalars.ts';
import type { Mend, Report } from '../../reports/finding.ts';
import { type Rule, replaceInScript } from '../../reports/rule.ts';

/** The correction of a text with scripts of jq and other parts. */
function mixed(workflow: Workflow, node: ScalarNode, { scripts }: QueryText): Mend | undefined {
  if (scripts.some(({ kind }) => kind === 'js')) return undefined;
  const sources = scripts.map(({ source }) => source);
  return asOneQuery(workflow, node, sources);
}

function reportText(workflow: Workflow, { node, texts }: QueryView): Report | undefined {
  const [text] = texts;
  if (node.kind !== 'scalar' || typeof node.value !== 'string' || text === undefined || node.text.trim() === '')
    return undefined;
  if (text.unclosed !== undefined) return undefined;
  const isPlain = text.scripts.length === 0;
  const isMixed = text.scripts.length > 0 && !text.scripts.some(({ isWhole }) => isWhole);
  if (!isPlain && !isMixed) return undefined;
  const mend = isPlain ? asQuery(workflow, node) : mixed(workflow, node, text);
  return {
    at: node,
    message: `the condition ${isPlain ? 'is a plain text' : 'has text beside its script'}, so it is always true`,
    hint: isPlain ? `write jq(${node.text.trim()})` : 'put the whole condition into one jq(...)',
    ...(mend !== undefined && { mend }),
  };
}

/** The part of a condition that determines its result: after the last pipe. */
function resultOf(ast: Ast): Ast {
  if (ast.kind === 'pipe') return resultOf(ast.right);
  return ast.kind === 'bind' || ast.kind === 'def' || ast.kind === 'label' ? resultOf(ast.body) : ast;
}

function reportScript(workflow: Workflow, script: Script): Report | undefined {
  const { program } = script;
  if (program === undefined || program instanceof JqSyntaxError) return undefined;
  const result = resultOf(program);
  if (result.kind === 'update') {
    const operator = script.source.slice(result.left.to, result.right.from);
    const from = result.left.to + Math.max(0, operator.indexOf('='));
    const mend =
      result.operator === '=' ? replaceInScript(workflow, script, { from, to: from + 1, text: '==' }) : undefined;
    const message = `'${result.operator}' changes the data and does not compare, so the condition is always true`;
    return {
      at: script.at(from),
      end: script.at(from + result.operator.length),
      message,
      hint: 'compare with ==',
      ...(mend && { mend }),
    };
  }
  if (result.kind === 'object' || result.kind === 'array' || (result.kind === 'string' && result.parts.length > 0)) {
    const what = result.kind === 'string' ? 'a text' : result.kind === 'object' ? 'an object' : 'a list';
    if (result.kind !== 'string' && isPerhapsEmpty(result)) return undefined;
    return {
      at: script.at(result.from),
      end: script.at(result.to),
      message: `the result of the condition is ${what}, so it is always true`,
    };
  }
  return undefined;
}

const isPerhapsEmpty = (ast: Ast): boolean => (ast.kind === 'object' ? ast.members.length === 0 : true);

export const conditionConstant: Rule = {
  severity: 'warning',
  about:
    'A condition of a `switch` is always true: a text that is not empty counts as true, also `false` and `.paid == true` without `jq(...)`; so does the object that an assignment with `=` returns. The conditions below it are never tried.',
  wrong: `states:
- id: route
  type: switch
  conditions:
  - condition: .amount > 100
    transition: ask
  - condition: 'jq(.country = "CH")'
    transition: ask
- {id: ask, type: noop}
`,
  right: `states:
- id: route
  type: switch
  conditions:
  - condition: jq(.amount > 100)
    transition: ask
  - condition: 'jq(.country == "CH")'
    transition: ask
- {id: ask, type: noop}
`,
  *check(workflow) {
    for (const { queries } of workflow.states) {
      for (const query of queries.filter(({ role }) => role === 'condition')) {
        const ofText = reportText(workflow, query);
        if (ofText !== undefined) yield ofText;
        const [script] = query.texts[0]?.scripts ?? [];
        const ofScript = ofText === undefined && script?.isWhole ? reportScript(workflow, script) : undefined;
        if (ofScript !== undefined) yield ofScript;
      }
    }
  },
};
