import { createScalarLocator } from '../../language/yaml/scalar-positions.ts';
import type { QueryText } from '../document/queries.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Report } from '../reports/finding.ts';
import type { Rule } from '../reports/rule.ts';

function report(workflow: Workflow, { node, unclosed = 0 }: QueryText): Report {
  const locate = createScalarLocator(workflow.source, node);
  const rest = node.text.slice(unclosed);
  const missing = rest.replace(/[^(]/g, '').length - rest.replace(/[^)]/g, '').length;
  const end = locate(node.text.trimEnd().length);
  const hint = /"[^"]*\([^")]*"/.test(rest)
    ? 'brackets in strings count too: write \\u0028 for one that is not closed'
    : `${missing} closing bracket${missing === 1 ? ' is' : 's are'} missing`;
  return {
    at: locate(unclosed),
    end,
    message: `the bracket of ${rest.slice(0, 2)}( is not closed`,
    hint,
    mend: {
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
