import { JqSyntaxError } from '../../language/jq/syntax/errors.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Script } from '../document/scripts.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Mend } from '../reports/finding.ts';
import { allScripts, type Rule, replaceInScript } from '../reports/rule.ts';

/** Operators of other languages, with those of jq. */
const OPERATORS: Readonly<Record<string, string>> = {
  '&&': 'and',
  '||': 'or',
  '===': '==',
  '!==': '!=',
  '<>': '!=',
  '=>': '>=',
  '?//': '? //',
};

/** The correction of an operator of another language, or of a no-break space, at or just before the error. */
function mendOf(workflow: Workflow, script: Script, { offset }: JqSyntaxError): Mend | undefined {
  const { source } = script;
  if (source[offset] === '\u00a0')
    return replaceInScript(workflow, script, { from: offset, to: offset + 1, text: ' ' });
  const begin = Math.max(0, offset - 2);
  for (let from = begin; from <= offset; from += 1) {
    const written = ['===', '!==', '?//', '&&', '||', '<>', '=>'].find((one) => source.startsWith(one, from));
    if (written === undefined || from + written.length <= offset - 1) continue;
    const text = OPERATORS[written] ?? '';
    return replaceInScript(workflow, script, { from, to: from + written.length, text });
  }
  return singleQuoted(workflow, script, offset);
}

/** A text in single quotes, where double quotes do not end the YAML text around it. */
function singleQuoted(workflow: Workflow, script: Script, offset: number): Mend | undefined {
  const written = /^'([^'"\\]*)'/.exec(script.source.slice(offset));
  if (written === null) return undefined;
  const change = { from: offset, to: offset + written[0].length, text: `"${written[1]}"` };
  const mend = replaceInScript(workflow, script, change);
  const isInDoubleQuotes = workflow.source.text[workflow.source.offsetOf(script.node)] === '"';
  return isInDoubleQuotes ? undefined : mend;
}

/** A bracket in a string ends the script too early: the engine counts every bracket. */
const CUT_SHORT = 'brackets in strings count too: write \\u0028 and \\u0029 for them';

export const jqSyntax: Rule = {
  severity: 'warning',
  about:
    'A jq program cannot be parsed. The workflow can be stored, but the state fails with `service.jq.badCommand` as soon as the query is evaluated.',
  wrong: `states:
- id: total
  type: noop
  transform:
    sum: jq(.items | map(.price | add)
    open: jq(.paid = = false)
`,
  right: `states:
- id: total
  type: noop
  transform:
    sum: jq(.items | map(.price) | add)
    open: jq(.paid == false)
`,
  *check(workflow) {
    for (const { script } of allScripts(workflow)) {
      const { program } = script;
      if (!(program instanceof JqSyntaxError)) continue;
      const isCutShort =
        program.message === 'a string is not closed' &&
        script.node.text.length > script.from + script.source.length + 1;
      const hint = isCutShort ? CUT_SHORT : program.hint;
      yield {
        at: script.at(program.offset),
        end: script.at(program.offset + 1),
        message: `jq: ${program.message}`,
        ...omitUndefined({ hint, mend: mendOf(workflow, script, program) }),
      };
    }
  },
};
