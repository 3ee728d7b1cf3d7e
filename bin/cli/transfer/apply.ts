import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import { CommandFailedError } from '../shell/command.ts';
import { applyOperation, type Operation } from './operations.ts';
import { mapConcurrently, type PlanItem } from './plan.ts';
import type { Remote } from './remote.ts';

/** The result of an item of a plan. */
export interface ItemResult {
  readonly item: PlanItem;
  /** The reason why it was not, or only partly, applied. */
  readonly failure?: string;
}

/** Applies the operations in their order, and returns the reason of the first rejection. */
async function applyOperations(
  remote: Remote,
  operations: readonly Operation[],
  { revisionNames }: PlanItem,
): Promise<string | undefined> {
  try {
    for (const operation of operations) await applyOperation(remote, operation, revisionNames);
    return undefined;
  } catch (error) {
    if (error instanceof CommandFailedError) return error.message;
    throw error;
  }
}

/** Values of at least this size are sent one after the other, so that only one is in memory. In bytes. */
const LARGE = 1024 * 1024;

const isLarge = ({ operations }: PlanItem): boolean =>
  operations.some((operation) => operation.do === 'set-variable' && operation.variable.size >= LARGE);

/** The kinds that others depend on: these first, in their order. */
const PARENTS: readonly PlanItem['kind'][] = ['namespace', 'directory'];
const WORKFLOWS: readonly PlanItem['kind'][] = ['workflow'];

/**
 * Applies a plan: namespace and directories, then workflows, then variables, and at last the operations that enable
 * workflows. An item that the service rejects has a failure in its result; the others are applied. Applying is idempotent:
 * a new plan contains only open items. `onItem` is called once or twice for each item. Throws ServiceUnreachableError.
 */
export async function applyPlan(
  remote: Remote,
  plan: readonly PlanItem[],
  onItem: (item: PlanItem) => void = () => {},
): Promise<ItemResult[]> {
  const failures = new Map<PlanItem, string>();
  const apply = async (item: PlanItem, operations: readonly Operation[]) => {
    const failure = failures.has(item) ? undefined : await applyOperations(remote, operations, item);
    if (failure !== undefined) failures.set(item, failure);
    onItem(item);
  };
  const parents = plan.filter(({ kind }) => PARENTS.includes(kind));
  const workflows = plan.filter(({ kind }) => WORKFLOWS.includes(kind));
  const others = plan.filter(({ kind }) => !PARENTS.includes(kind) && !WORKFLOWS.includes(kind));
  const small = others.filter((item) => !isLarge(item));
  for (const item of parents) await apply(item, item.operations);
  await mapConcurrently(workflows, (item) => apply(item, item.operations));
  await mapConcurrently(small, (item) => apply(item, item.operations));
  for (const item of others.filter(isLarge)) await apply(item, item.operations);
  await mapConcurrently(workflows, (item) => apply(item, item.finalOperations));
  await mapConcurrently(others, (item) => apply(item, item.finalOperations));
  return plan.map((item) => omitUndefined({ item, failure: failures.get(item) }));
}
