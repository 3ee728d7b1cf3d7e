import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { compile } from '../../../lib/compiler/compile.ts';
import { formatProblem, type Problem } from '../../../lib/language/problem.ts';

/** A problem of a file. */
export interface Finding extends Problem {
  readonly file: string;
  readonly kind: 'mistake';
}

export interface Checked {
  readonly source: string;
  readonly findings: readonly Finding[];
  /** Something else than a call starts the workflow: events or the clock. */
  readonly isSelfStarting: boolean;
}

/** Everything that is wrong with a workflow's text; nothing is asked of a service. */
export function checkSource(file: string, source: string): Checked {
  const compiled = compile(source);
  const problems = 'problems' in compiled ? compiled.problems : [];
  const isSelfStarting = !('problems' in compiled) && compiled.plan.start.type !== 'default';
  return { source, isSelfStarting, findings: problems.map((problem) => ({ file, kind: 'mistake', ...problem })) };
}

/** As `checkSource`, of a file, which is named from the folder that the user stands in. */
export async function checkFile(file: string, cwd: string): Promise<Checked> {
  const shown = relative(cwd, file);
  return checkSource(shown.startsWith('..') ? file : shown, await readFile(file, 'utf8'));
}

/** The problems for people: place, line with a caret, hint. */
export function findingTexts({ source, findings }: Checked): string[] {
  return findings.map((finding) => `${finding.file}:${formatProblem(finding, source)}`);
}
