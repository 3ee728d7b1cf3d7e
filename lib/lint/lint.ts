import { omitUndefined } from '../language/omit-undefined.ts';
import { createSourceText } from '../language/position.ts';
import { type Problem, truncate } from '../language/problem.ts';
import { compilerRuleOf } from './compiler-rules.ts';
import { otherKindOf } from './document/kinds.ts';
import { type Folder, type ReadWorkflow, readWorkflow, type Workflow } from './document/workflow.ts';
import { durationHint, mendOfProblem } from './mends/compiler.ts';
import { causeOf } from './mends/yaml.ts';
import type { Finding, Report, Severity } from './reports/finding.ts';
import { MAX_FINDINGS, type Rule } from './reports/rule.ts';
import { RULES } from './rules/index.ts';
import { oddSpace } from './rules/queries/odd-space.ts';

export { applyMends } from './mends/text.ts';
export type { Edit, Finding, Mend, Severity } from './reports/finding.ts';

/** The page of a rule in the documentation. */
export const docsOf = (rule: string): string => `docs/lint.md#${rule}`;

/**
 * Returns everything that the rules find in a workflow text, ordered by line and column. Errors are the problems for which
 * the compiler rejects the text; warnings and hints are about texts that can be stored. Never throws; the time is bounded
 * for every text.
 */
export function lint(text: string): readonly Finding[] {
  return lintRead(text, readWorkflow(text));
}

/** As `lint`, of a text that was read before; with a folder, also mistakes between its workflows. */
export function lintRead(text: string, read: ReadWorkflow, folder?: Folder): readonly Finding[] {
  return 'states' in read ? findingsIn(read, folder) : findingsOutside(text, read.problems);
}

/**
 * Lints the texts of a folder, by their paths in the tree without leading slash and extension. It also finds mistakes
 * between them: subflows that do not exist, events that no workflow sends.
 */
export function lintFolder(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly Finding[]> {
  const read = [...texts].map(([path, text]) => ({ path, text, workflow: readWorkflow(text) }));
  const workflows = new Map(
    read.flatMap(({ path, workflow }) => ('states' in workflow ? [[path, workflow] as const] : [])),
  );
  // A text that cannot be parsed exists nevertheless.
  const known = new Map(read.map(({ path, workflow }) => [path, 'states' in workflow ? workflow : EMPTY]));
  return new Map(
    read.map(({ path, text, workflow }) => [
      path,
      'states' in workflow
        ? findingsIn(workflow, { path, workflows: workflows.size === known.size ? workflows : known })
        : findingsOutside(text, workflow.problems),
    ]),
  );
}

const EMPTY: Workflow = {
  source: createSourceText(''),
  root: { kind: 'scalar', value: null, tag: '!!null', text: '', line: 1, column: 1 },
  problems: [],
  timeouts: {},
  queries: [],
  states: [],
  functions: [],
};

/** The one finding in a file that defines something else than a workflow; undefined for a workflow. */
function findingInOther({ root }: Workflow): Finding | undefined {
  const other = otherKindOf(root);
  if (other === undefined) return undefined;
  const { line, column } = other.at;
  const message = `this file defines ${other.what}, not a workflow`;
  return { rule: 'not-a-workflow', severity: 'warning', message, hint: other.instead, line, column };
}

function findingsIn(workflow: Workflow, folder?: Folder): Finding[] {
  const other = findingInOther(workflow);
  if (other !== undefined) return [other];
  const ofCompiler = workflow.problems.map((problem): Finding => {
    const mend = mendOfProblem(workflow, problem);
    const hint = durationHint(workflow, problem) ?? problem.hint;
    return { ...problem, rule: compilerRuleOf(problem), severity: 'error', ...omitUndefined({ hint, mend }) };
  });
  const ofRules = Object.entries<Rule>(RULES).flatMap(([id, rule]) =>
    [...firstOf(rule.check(workflow, folder))].map((report) => toFinding(id, rule, report)),
  );
  return ordered([...ofCompiler, ...ofRules]);
}

/** The first reports of a rule: a text may have as many mistakes as characters, each with a correction to be found. */
function* firstOf(reports: Iterable<Report>): Generator<Report> {
  let left = MAX_FINDINGS;
  for (const report of reports) {
    yield report;
    left -= 1;
    if (left === 0) return;
  }
}

/** The findings in a text that is not YAML. */
function findingsOutside(text: string, problems: readonly Problem[]): Finding[] {
  const source = createSourceText(text);
  const ofYaml = problems.map((problem, index): Finding => {
    const cause = causeOf(text, problem, index === 0);
    const hint = cause?.hint ?? problem.hint;
    return {
      ...problem,
      rule: compilerRuleOf(problem),
      severity: 'error',
      ...omitUndefined({ hint, mend: cause?.mend }),
    };
  });
  const blanks = [...firstOf(oddSpace.check({ ...EMPTY, source }))];
  return ordered([...ofYaml, ...blanks.map((report) => toFinding('odd-space', oddSpace, report))]);
}

function toFinding(rule: string, { severity }: Rule, { at, message, hint, ...report }: Report): Finding {
  const texts = { message: truncate(message), ...omitUndefined({ hint: hint && truncate(hint) }) };
  return { severity, ...report, ...texts, rule, line: at.line, column: at.column };
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, hint: 2 };

/** Orders the findings and leaves out repetitions: an alias of YAML repeats a part at the place of its anchor. */
function ordered(findings: readonly Finding[]): Finding[] {
  const unique = new Map(findings.map((one) => [`${one.rule} ${one.line}:${one.column} ${one.message}`, one]));
  const compare = (a: Finding, b: Finding) =>
    a.line - b.line || a.column - b.column || RANK[a.severity] - RANK[b.severity];
  return [...unique.values()].sort(compare).slice(0, MAX_FINDINGS);
}
