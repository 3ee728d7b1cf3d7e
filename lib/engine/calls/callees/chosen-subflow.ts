import { isAllowedPath, type SubflowPlan } from '../../../compiler/plan/subflows.ts';
import type { Run } from '../../../domain/runs/runs.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { failure } from '../../evaluation/failures.ts';
import { resolvePath } from '../../variables/tree-files.ts';

/** The most characters of a value that a message quotes. */
const MAX_QUOTED = 200;

/** The path from the root of the tree, with the ref if there is one. */
function absolute(caller: string, path: string): string {
  const [named = '', ref = ''] = path.split(':');
  return `${resolvePath(caller, named)}${ref === '' ? '' : `:${ref}`}`;
}

/**
 * Evaluates the path of a computed subflow over the data of the action. Returns it from the root of the tree, with its
 * ref. Throws the catchable `subflow.notAllowed` for a value that is no text or none of the allowed paths, and
 * `jq.badCommand`.
 */
export async function choosePath(
  caller: Pick<Run, 'path'>,
  { workflow, allowed = [] }: SubflowPlan,
  data: unknown,
): Promise<string> {
  const value = await evaluate(workflow, data);
  const isPath = typeof value === 'string' && value !== '';
  const path = isPath ? absolute(caller.path, value) : '';
  if (isPath && allowed.some((pattern) => isAllowedPath(absolute(caller.path, pattern), path))) return path;
  const shown = isPath ? `'${path}'` : (JSON.stringify(value) ?? 'nothing');
  const what = `${shown.slice(0, MAX_QUOTED)} is no workflow that the function may call`;
  throw failure('subflow.notAllowed', `${what}: allowed are ${allowed.join(', ')}`, {
    query: workflow,
    data,
    result: value,
  });
}
