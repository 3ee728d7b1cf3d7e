import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { compile } from '../../../lib/compiler/compile.ts';
import { formatProblem, type Problem } from '../../../lib/language/problem.ts';
import { brokenAt, NOT_UTF8 } from '../shell/files.ts';

/** A problem in a file. */
export interface FileProblem extends Problem {
  readonly file: string;
  readonly kind: 'mistake';
}

export interface ValidatedSource {
  readonly source: string;
  readonly problems: readonly FileProblem[];
  /** The workflow is started by events or a schedule. */
  readonly startsItself: boolean;
}

/** Compiles the text of a workflow. It needs no service. */
function validateSource(file: string, source: string): ValidatedSource {
  const compiled = compile(source);
  const problems = 'problems' in compiled ? compiled.problems : [];
  const startsItself = !('problems' in compiled) && compiled.plan.start.type !== 'default';
  return { source, startsItself, problems: problems.map((problem) => ({ file, kind: 'mistake', ...problem })) };
}

/** As `validateSource`, of a file. Its problems have its path relative to the current folder. */
export async function validateFile(file: string, cwd: string): Promise<ValidatedSource> {
  const path = relative(cwd, file);
  const shown = path.startsWith('..') ? file : path;
  const bytes = await readFile(file);
  const place = brokenAt(bytes);
  const source = bytes.toString('utf8');
  if (place === undefined) return validateSource(shown, source);
  return { source, startsItself: false, problems: [{ file: shown, kind: 'mistake', message: NOT_UTF8, ...place }] };
}

/** The problems as text: position, line with a caret, hint. */
export function problemTexts({ source, problems }: ValidatedSource): string[] {
  return problems.map((problem) => `${problem.file}:${formatProblem(problem, source)}`);
}
