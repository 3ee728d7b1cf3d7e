import { JqSyntaxError } from '../../../language/jq/syntax/errors.ts';
import { TOO_DEEP } from '../../../language/jq/syntax/parser.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import { ownMember } from '../../../language/own-members.ts';
import type { Script } from '../../document/scripts.ts';
import type { Workflow } from '../../document/workflow.ts';
import { correctedJq } from '../../mends/jq.ts';
import type { Mend } from '../../reports/finding.ts';
import { allScripts, changeScript, type Rule, replaceInScript } from '../../reports/rule.ts';

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
    const text = ownMember(OPERATORS, written) ?? '';
    return replaceInScript(workflow, script, { from, to: from + written.length, text });
  }
  return singleQuoted(workflow, script, offset);
}

/** The correction of an error, found by trial, for a script that ends at its intended place. */
function tried(workflow: Workflow, script: Script, error: JqSyntaxError): Mend | undefined {
  const changes = correctedJq(script.source, error);
  return changes && changeScript(workflow, script, changes);
}

/** A text in single quotes, which jq does not have. */
function singleQuoted(workflow: Workflow, script: Script, offset: number): Mend | undefined {
  const written = /^'([^'"\\]*)'/.exec(script.source.slice(offset));
  if (written === null) return undefined;
  return replaceInScript(workflow, script, { from: offset, to: offset + written[0].length, text: `"${written[1]}"` });
}

/** A bracket in a string ends the script too early: the engine counts every bracket. */
const CUT_SHORT = 'brackets in strings count too: write \\u0028 and \\u0029 for them';

/** Scripts of a text that are corrected by trial, for which each is parsed about twenty times. */
const MAX_CORRECTED = 20;
/** Longer scripts are not corrected. */
const MAX_CORRECTABLE = 10_000;

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
    let corrected = 0;
    for (const { script } of allScripts(workflow)) {
      const { program, source } = script;
      if (!(program instanceof JqSyntaxError)) continue;
      const isCutShort =
        program.message === 'a string is not closed' &&
        script.node.text.length > script.from + script.source.length + 1;
      const hint = isCutShort ? CUT_SHORT : program.hint;
      const isTried =
        !isCutShort && program.message !== TOO_DEEP && source.length <= MAX_CORRECTABLE && corrected++ < MAX_CORRECTED;
      const mend = mendOf(workflow, script, program) ?? (isTried ? tried(workflow, script, program) : undefined);
      yield {
        at: script.at(program.offset),
        end: script.at(program.offset + 1),
        message: `jq: ${program.message}`,
        ...omitUndefined({ hint, mend }),
      };
    }
  },
};
