import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { compile } from '../../../../lib/compiler/compile.ts';
import { formatProblem } from '../../../../lib/language/problem.ts';
import type { Bundle } from '../../../../lib/testing/bundles/bundle.ts';
import type { TestWorkflow } from '../../../../lib/testing/prepared.ts';
import { CommandFailedError, UsageError } from '../../shell/command.ts';
import { textOf } from '../../shell/files.ts';
import type { Terminal } from '../../shell/terminal.ts';

/** The workflow that a bundle is replayed with. */
export interface ReplayedWorkflow extends TestWorkflow {
  /** It is the source of the bundle, and not a file. */
  readonly isRecorded: boolean;
}

function compiled(file: string, source: string, path: string): TestWorkflow {
  const outcome = compile(source);
  if ('plan' in outcome) return { path, file, source, plan: outcome.plan };
  const problems = outcome.problems.map((problem) => `${file}:${formatProblem(problem, source)}`);
  throw new CommandFailedError(`the workflow cannot be replayed:\n${problems.join('\n')}`);
}

/** The revision that ran. Throws CommandFailedError if this version of the compiler rejects it. */
export const recordedWorkflow = ({ workflow: { path, source } }: Bundle): ReplayedWorkflow => ({
  ...compiled(`${path}.yaml (recorded)`, source, path),
  isRecorded: true,
});

/** The files in which the workflow of a bundle is looked for: below the current folder, and beside the bundle. */
function candidates({ cwd }: Terminal, bundleFile: string, { workflow: { path } }: Bundle): string[] {
  const folders = [cwd, dirname(resolve(cwd, bundleFile))];
  return folders.flatMap((folder) => ['.yaml', '.yml'].map((extension) => join(folder, `${path}${extension}`)));
}

/**
 * The present workflow: the file that the option names, or the file that has the path of the bundle's workflow; without
 * one, the revision that ran. Throws UsageError for a named file that cannot be read, CommandFailedError for mistakes.
 */
export async function presentWorkflow(
  terminal: Terminal,
  bundleFile: string,
  { bundle, named }: { readonly bundle: Bundle; readonly named: string | undefined },
): Promise<ReplayedWorkflow> {
  const { cwd } = terminal;
  const files = named === undefined ? candidates(terminal, bundleFile, bundle) : [resolve(cwd, named)];
  for (const file of files) {
    const bytes = await readFile(file).catch(() => undefined);
    if (bytes === undefined) continue;
    const source = textOf(relative(cwd, file), bytes);
    return { ...compiled(relative(cwd, file), source, bundle.workflow.path), isRecorded: false };
  }
  if (named !== undefined) throw new UsageError(`${named} cannot be read: there is no such file`);
  return recordedWorkflow(bundle);
}
