import { missingWorkflow } from '../client/refusals.ts';
import { at, textAt } from '../client/replies.ts';
import { readList } from '../client/service.ts';
import { CommandFailedError } from '../shell/command.ts';
import { mapConcurrently } from '../transfer/plan.ts';
import { findNode, isWorkflow, type Remote, treePathOf } from '../transfer/remote.ts';

/** A row of a list of workflows. */
export interface WorkflowRow {
  readonly path: string;
  readonly updatedAt: string;
}

/** A workflow with its switch and the division of its starts. */
export interface WorkflowState extends WorkflowRow {
  readonly enabled: boolean;
  readonly routes: readonly { readonly ref: string; readonly weight: number }[];
}

/** The name of a node in errors: no slash at either end. */
export const shownPath = (path: string): string => path.replace(/^\/+|\/+$/g, '');

/** Throws CommandFailedError for a path without a node. */
export function missingNode({ namespace }: Pick<Remote, 'namespace'>, path: string): CommandFailedError {
  return new CommandFailedError(missingWorkflow(namespace, shownPath(path)), 404);
}

/**
 * The workflows below a directory in the order of their paths; of a workflow, it alone. Throws CommandFailedError for a
 * path without a node, ServiceUnreachableError.
 */
export async function workflowsBelow(remote: Remote, path: string): Promise<WorkflowRow[]> {
  const node = await findNode(remote, path);
  if (node === undefined) throw missingNode(remote, path);
  if (isWorkflow(node)) return [{ path: shownPath(path), updatedAt: node.latest.createdAt }];
  const rows = (await readList(remote.service, treePathOf(remote, path), 'children')) ?? [];
  const found = await mapConcurrently(rows, async (row): Promise<WorkflowRow[]> => {
    const below = [shownPath(path), textAt(row, 'name')].filter((part) => part !== '').join('/');
    if (textAt(row, 'type') === 'directory') return workflowsBelow(remote, below);
    return textAt(row, 'type') === 'workflow' ? [{ path: below, updatedAt: textAt(row, 'updatedAt') }] : [];
  });
  return found.flat().sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The switch and the routes of a workflow. Throws CommandFailedError, ServiceUnreachableError. */
export async function stateOf(remote: Remote, row: WorkflowRow): Promise<WorkflowState> {
  const reply = await remote.service.call('GET', `${treePathOf(remote, row.path)}?op=router`);
  const routes = at(reply, 'routes');
  return {
    ...row,
    enabled: textAt(reply, 'live') !== 'false',
    routes: (Array.isArray(routes) ? routes : []).map((route) => ({
      ref: textAt(route, 'ref'),
      weight: Number(textAt(route, 'weight')),
    })),
  };
}

/** The division of starts as text: `v1 80%, latest 20%`. */
export function trafficText({ routes }: Pick<WorkflowState, 'routes'>): string {
  const sum = routes.reduce((total, { weight }) => total + weight, 0);
  if (sum === 0) return 'latest 100%';
  return routes.map(({ ref, weight }) => `${ref} ${Math.round((100 * weight) / sum)}%`).join(', ');
}
