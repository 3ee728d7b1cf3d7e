import { COMPILER_RULES, type CompilerRule } from './compiler-rules.ts';
import type { Severity } from './reports/finding.ts';
import type { Rule } from './reports/rule.ts';
import { RULES } from './rules/index.ts';

/** A rule as the documentation shows it. */
interface Entry extends Pick<Rule, 'about' | 'wrong' | 'right'> {
  readonly id: string;
  readonly severity: Severity;
}

function entries(): Entry[] {
  const ofCompiler = Object.entries<CompilerRule>(COMPILER_RULES).map(([id, rule]) => ({
    ...rule,
    id,
    severity: 'error' as const,
  }));
  const ofRules = Object.entries<Rule>(RULES).map(([id, rule]) => ({ ...rule, id }));
  return [...ofCompiler, ...ofRules];
}

const HEAD = `# Rules for workflow texts

You find here each rule that \`weft validate FILE|FOLDER\` applies, without a service, with a mistake and its correction.
This page is made from the rules by \`npm run docs\`.

- An **error** is a mistake because of which the text cannot be stored.
- A **warning** is about a text that can be stored, as the original does, and that fails or does something else in a run.
  \`--strict\` makes the command fail for warnings.
- A **hint** is about something that is probably a mistake, or not needed.

\`--fix\` writes the corrections that are certain. \`--format json|sarif|github\` is for other programs.
`;

const fenced = (text: string): string => `\`\`\`yaml\n${text.replaceAll('\u00a0', '\u237d').trimEnd()}\n\`\`\``;

function page({ id, severity, about, wrong, right }: Entry): string {
  return `## ${id}\n\n**${severity}.** ${about}\n\nWrong:\n\n${fenced(wrong)}\n\nRight:\n\n${fenced(right)}\n`;
}

const NEXT = '**Next:** [the rules in your editor](editors.md), [testing workflows](testing.md).\n';

/** The rules as a document in Markdown: a table, and a section for each rule with an example. */
export function lintHandbook(): string {
  const all = entries();
  const rows = all.map(({ id, severity }) => `| [${id}](#${id}) | ${severity} |`);
  return [HEAD, `| rule | severity |\n|---|---|\n${rows.join('\n')}\n`, ...all.map(page), NEXT].join('\n');
}
