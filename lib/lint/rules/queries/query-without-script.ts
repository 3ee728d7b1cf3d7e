import { createScalarLocator } from '../../../language/yaml/scalar-positions.ts';
import type { QueryRole, QueryText } from '../../document/queries.ts';
import type { Workflow } from '../../document/workflow.ts';
import type { Report } from '../../reports/finding.ts';
import type { Rule } from '../../reports/rule.ts';

/** Texts that are a query in another form, with their meanings. */
const FORMS: readonly {
  readonly written: RegExp;
  readonly to: (found: RegExpExecArray) => string | undefined;
  readonly isCertain: boolean;
}[] = [
  { written: /\b(jq|js)[ \t]+\((?=[\s.])/, to: (found) => `${found[1]}(`, isCertain: true },
  { written: /\b(JQ|JS|Jq|Js)\((?=[\s.])/, to: (found) => `${found[1]?.toLowerCase()}(`, isCertain: true },
  {
    written: /^\s*\.[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*|\[\d*\])*\s*$/,
    to: (found) => `jq(${found[0].trim()})`,
    isCertain: false,
  },
  { written: /\{\{\s*(\.[^{}]*)\}\}/, to: (found) => `jq(${found[1]?.trimEnd()})`, isCertain: false },
  { written: /\$\{\s*(\.[^{}]*)\}/, to: (found) => `jq(${found[1]?.trimEnd()})`, isCertain: false },
  { written: /^\s*\$\(\s*(\.[^()]*)\)\s*$/, to: (found) => `jq(${found[1]?.trimEnd()})`, isCertain: false },
];

/** Roles whose plain texts other rules report. */
const ELSEWHERE: readonly QueryRole[] = ['condition', 'transform', 'array'];

function reportText(workflow: Workflow, { node, scripts }: QueryText, isPath: boolean): Report | undefined {
  for (const [index, { written, to, isCertain }] of FORMS.entries()) {
    if (index === 2 && !isPath) continue;
    const found = written.exec(node.text);
    // Inside a script the text is a part of its program.
    if (found === null || scripts.some(({ from, source }) => found.index >= from && found.index < from + source.length))
      continue;
    const text = to(found) ?? '';
    const locate = createScalarLocator(workflow.source, node);
    const [at, end] = [locate(found.index), locate(found.index + found[0].length)];
    return {
      at,
      end,
      message: `'${found[0].trim()}' is a plain text here and is not evaluated`,
      hint: `write ${text}`,
      mend: { title: `write ${text}`, edits: [{ from: at, to: end, text }], isCertain },
    };
  }
  return undefined;
}

export const queryWithoutScript: Rule = {
  severity: 'hint',
  about:
    'A text looks like a query and is none: `.name` without `jq(...)`, `jq (...)` with a blank, or the notation of another tool such as `{{ .name }}`. It is used as it is written.',
  wrong: `states:
- id: greet
  type: noop
  transform:
    name: .user.name
    text: 'jq ("Hello, " + .user.name)'
`,
  right: `states:
- id: greet
  type: noop
  transform:
    name: jq(.user.name)
    text: 'jq("Hello, " + .user.name)'
`,
  *check(workflow) {
    for (const { queries } of workflow.states) {
      for (const { role, texts, node } of queries) {
        for (const text of texts) {
          const isPath = !ELSEWHERE.includes(role) || text.node !== node;
          const report = reportText(workflow, text, isPath);
          if (report !== undefined) yield report;
        }
      }
    }
  },
};
