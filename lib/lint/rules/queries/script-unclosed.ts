import type { Position } from '../../../language/position.ts';
import type { ScalarNode } from '../../../language/yaml/parser.ts';
import { createScalarLocator } from '../../../language/yaml/scalar-positions.ts';
import type { QueryText } from '../../document/queries.ts';
import { locateScripts } from '../../document/scripts.ts';
import type { Workflow } from '../../document/workflow.ts';
import type { Mend, Report } from '../../reports/finding.ts';
import type { Rule } from '../../reports/rule.ts';

const STRING = /"(?:[^"\\]|\\[^(])*"/g;

/**
 * Writes the opening brackets in strings of a jq script as escapes, if the script ends where it is meant to end then;
 * otherwise undefined.
 */
function withEscapes(
  { source }: Workflow,
  node: ScalarNode,
  rest: string,
  at: (offset: number) => Position,
): Mend | undefined {
  const brackets = [...rest.matchAll(STRING)].flatMap((text) =>
    [...text[0].matchAll(/[()]/g)].map((found) => ({ offset: text.index + found.index, sign: found[0] })),
  );
  const blanked = rest.replace(STRING, (text) => text.replace(/[()]/g, ' '));
  const { scripts, unclosed } = locateScripts(blanked);
  if (brackets.length === 0 || unclosed !== undefined || scripts.length === 0) return undefined;
  const slash = source.text[source.offsetOf(node)] === '"' ? '\\\\' : '\\';
  const edits = brackets.map(({ offset, sign }) => {
    const text = `${slash}u00${sign === '(' ? '28' : '29'}`;
    return { from: at(offset), to: at(offset + 1), text };
  });
  return { title: 'write the brackets in strings as escapes', edits, isCertain: false };
}

function report(workflow: Workflow, { node, unclosed = 0 }: QueryText): Report {
  const locate = createScalarLocator(workflow.source, node);
  const rest = node.text.slice(unclosed);
  const missing = rest.replace(/[^(]/g, '').length - rest.replace(/[^)]/g, '').length;
  const end = locate(node.text.trimEnd().length);
  const hint = rest.split('"').some((part, index) => index % 2 === 1 && part.lastIndexOf('(') > part.lastIndexOf(')'))
    ? 'brackets in strings count too: write \\u0028 for one that is not closed'
    : `${missing} closing bracket${missing === 1 ? ' is' : 's are'} missing`;
  const escaped = withEscapes(workflow, node, rest, (offset) => locate(unclosed + offset));
  return {
    at: locate(unclosed),
    end,
    message: `the bracket of ${rest.slice(0, 2)}( is not closed`,
    hint,
    mend: escaped ?? {
      title: `add ${')'.repeat(missing)}`,
      edits: [{ from: end, to: end, text: ')'.repeat(missing) }],
      isCertain: false,
    },
  };
}

export const scriptUnclosed: Rule = {
  severity: 'warning',
  about:
    'The bracket of a `jq(` or `js(` is not closed. The engine counts every bracket up to the closing one, also those in strings and comments; the state fails with `service.jq.badCommand`.',
  wrong: `states:
- id: greet
  type: noop
  transform:
    text: 'jq("Hello, " + (.name // "World")'
`,
  right: `states:
- id: greet
  type: noop
  transform:
    text: 'jq("Hello, " + (.name // "World"))'
`,
  *check(workflow) {
    for (const { queries } of workflow.states)
      for (const { texts } of queries)
        for (const text of texts) if (text.unclosed !== undefined) yield report(workflow, text);
  },
};
