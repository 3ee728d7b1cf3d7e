import type { DesiredState } from '../transfer/desired-state.ts';
import { deletionOf, type PlanItem } from '../transfer/plan.ts';
import { findNode, hasNamespace, type Remote } from '../transfer/remote.ts';
import { workflowsBelow } from './listing.ts';

/** The paths of the workflows below a directory of the server that the desired state does not contain. */
export async function surplusOf(remote: Remote, desired: DesiredState, directory: string): Promise<string[]> {
  if (!(await hasNamespace(remote)) || (await findNode(remote, directory)) === undefined) return [];
  const wanted = new Set(desired.workflows.map(({ path }) => path));
  return (await workflowsBelow(remote, directory)).map(({ path }) => path).filter((path) => !wanted.has(path));
}

/** The items of a plan that delete what the desired state does not contain. */
export async function pruningItems(remote: Remote, desired: DesiredState, directory: string): Promise<PlanItem[]> {
  return (await surplusOf(remote, desired, directory)).map(deletionOf);
}
