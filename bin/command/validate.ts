import { readFile } from 'node:fs/promises';
import { compile } from '../../lib/compiler/compile.ts';
import { type Problem, problemText } from '../../lib/language/problem.ts';
import { defineCommand, toJson, UsageError } from './command.ts';

/** A problem of a file. `not-built`: the workflow is right, and this version of Weft cannot run it. */
interface Finding extends Problem {
  readonly file: string;
  readonly kind: 'mistake' | 'not-built';
}

interface Checked {
  readonly source: string;
  readonly findings: readonly Finding[];
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

async function check(file: string): Promise<Checked> {
  const source = await read(file);
  const compiled = compile(source);
  const [kind, problems] =
    'problems' in compiled ? (['mistake', compiled.problems] as const) : (['not-built', compiled.unsupported] as const);
  return { source, findings: problems.map((problem) => ({ file, kind, ...problem })) };
}

/** Compiles workflows without a service. */
export const validate = defineCommand({
  about: 'Checks workflow files without a service, and points at what is wrong',
  usage: ['validate FILE...'],
  notes: [],
  options: {},
  run: async ({ json }, files) => {
    if (files.length === 0) throw new UsageError('name at least one file');
    const checked = await Promise.all(files.map(check));
    const findings = checked.flatMap((one) => one.findings);
    const texts = checked.flatMap(({ source, findings }) =>
      findings.map((finding) => `${finding.file}:${problemText(finding, source)}`),
    );
    const rest = `${findings.length} ${findings.length === 1 ? 'problem' : 'problems'} in ${files.length} files`;
    const shown = [...texts, files.length === 1 ? rest.replace('1 files', '1 file') : rest].join('\n');
    return { text: json ? toJson(findings) : shown, isGood: findings.length === 0 };
  },
});
