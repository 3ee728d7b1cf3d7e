import { isAllowedPath, type SubflowPlan } from '../../../compiler/plan/subflows.ts';
import type { Run } from '../../../domain/runs/runs.ts';
import { noResultMessage } from '../../../language/scripts/engine.ts';
import { scanScripts } from '../../../language/scripts/scripts.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { failure, StateError } from '../../evaluation/failures.ts';
import { resolvePath } from '../../variables/tree-files.ts';

/** The most characters of a value that a message quotes. */
const MAX_QUOTED = 200;

/** The path from the root of the tree, with the ref if there is one. */
function absolute(caller: string, path: string): string {
  const [named = '', ref = ''] = path.split(':');
  return `${resolvePath(caller, named)}${ref === '' ? '' : `:${ref}`}`;
}

/** The script without a result because of which a query failed; undefined for another failure. */
function emptyScript(error: unknown): string | undefined {
  const query = error instanceof StateError ? error.evaluated?.query : undefined;
  if (!(error instanceof StateError) || typeof query !== 'string') return undefined;
  const isEmpty = scanScripts(query).some(
    (script) => script.kind !== 'text' && error.message.endsWith(noResultMessage(script.kind, script.source)),
  );
  return isEmpty ? query : undefined;
}

/** Evaluates the path. A script of it without a value is no path that may be called, as every other value that is no text. */
async function evaluatePath(workflow: string, data: unknown, allowed: readonly string[]): Promise<unknown> {
  try {
    return await evaluate(workflow, data);
  } catch (error) {
    const empty = emptyScript(error);
    if (empty === undefined) throw error;
    const hint = 'write // "" into the query where the value may be missing';
    const message = `the path of the subflow is null, by ${empty}: allowed are ${allowed.join(', ')}; ${hint}`;
    throw failure('subflow.notAllowed', message, { query: empty, data, result: null });
  }
}

/**
 * Evaluates the path of a computed subflow over the data of the action. Returns it from the root of the tree, with its
 * ref. Throws the catchable `subflow.notAllowed` for a value that is missing, no text or none of the allowed
 * paths, and `jq.badCommand`.
 */
export async function choosePath(
  caller: Pick<Run, 'path'>,
  { workflow, allowed = [] }: SubflowPlan,
  data: unknown,
): Promise<string> {
  const value = await evaluatePath(workflow, data, allowed);
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
