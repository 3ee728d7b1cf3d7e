import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { formatProblem } from '../../../lib/language/problem.ts';
import { calledPath, subflowsOf } from '../../../lib/lint/document/subflows.ts';
import { readWorkflow } from '../../../lib/lint/document/workflow.ts';
import { lintFolder } from '../../../lib/lint/lint.ts';
import { type DesiredState, latestOf } from './desired-state.ts';
import { findNode, type Remote } from './remote.ts';

/** The subflows that texts call and that are not among them, by their paths in the tree. */
function calledElsewhere(texts: ReadonlyMap<string, string>): readonly string[] {
  const called = [...texts].flatMap(([path, text]) => {
    const workflow = readWorkflow(text);
    return 'states' in workflow ? subflowsOf(workflow).map(({ target }) => calledPath(path, target)) : [];
  });
  return [...new Set(called)].filter((path) => !texts.has(path));
}

/**
 * Returns the warnings of the linter about the workflows that are sent, as texts with their places: also about subflows that
 * neither they nor the namespace contain.
 */
export async function warningsAbout(desired: DesiredState, remote: Remote, cwd: string): Promise<readonly string[]> {
  const files = new Map(desired.workflows.map((workflow) => [workflow.path, latestOf(workflow).file]));
  const texts = new Map<string, string>();
  for (const [path, file] of files) texts.set(path, await readFile(file, 'utf8'));
  const known = new Map(texts);
  for (const path of calledElsewhere(texts)) {
    const node = await findNode(remote, path);
    if (node?.kind === 'workflow') known.set(path, '');
  }
  const findings = lintFolder(known);
  return [...texts].flatMap(([path, text]) =>
    (findings.get(path) ?? [])
      .filter(({ severity }) => severity === 'warning')
      .map(
        (one) =>
          `${relative(cwd, files.get(path) ?? path)}:${formatProblem({ ...one, message: `${one.message} [${one.rule}]` }, text)}`,
      ),
  );
}
