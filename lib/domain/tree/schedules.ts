import type { Plan } from '../../compiler/plan/plan.ts';
import type { Schedules } from '../../ports/schedules.ts';
import type { Write } from '../../ports/table.ts';
import { parseCron, ticksInHour } from '../../time/cron/cron.ts';
import { putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import type { ResolvedNode, Starts, WorkflowNode } from './nodes.ts';

const startOf = (plan: Plan | undefined) => (plan?.start.type === 'scheduled' ? plan.start : undefined);

const cronOf = (plan: Plan | undefined): string | undefined => startOf(plan)?.cron;

/** How the clock starts a plan, as its namespace counts it. A malformed cron text never fires. */
export function countsOf(plan: Plan | undefined): Pick<Starts, 'schedules' | 'ticks'> {
  const cron = parseCron(cronOf(plan) ?? '');
  return { schedules: Number(isScheduled(plan)), ticks: 'problem' in cron ? 0 : ticksInHour(cron) };
}

/** Whether a plan is started by the clock. */
export const isScheduled = (plan: Plan | undefined): boolean => cronOf(plan) !== undefined;

/**
 * The write that marks that the schedule of a workflow is to follow a change: part of the transaction of the change, so
 * that a change which was interrupted is found and completed. `change` is unique. Empty when neither plan is scheduled.
 */
export function toMarkers(
  { id, namespace, path }: { readonly id: string; readonly namespace: string; readonly path: string },
  plans: { readonly before: Plan | undefined; readonly after: Plan | undefined },
  change: string,
): Write[] {
  if (!isScheduled(plans.before) && !isScheduled(plans.after)) return [];
  return [putAt(keys.openSchedule(id), { namespace, path, change })];
}

/**
 * Sets or removes the schedule of a workflow, according to the plan that defines its start and whether it is live. A
 * malformed cron text never fires, as in the original (workflow language, section 3).
 */
export async function arm(
  { schedules }: { readonly schedules: Schedules },
  { namespace, node }: ResolvedNode<WorkflowNode>,
  plan: Plan | undefined,
): Promise<void> {
  const cron = node.live ? cronOf(plan) : undefined;
  if (cron !== undefined && !('problem' in parseCron(cron))) {
    const target = { id: node.id, namespace: namespace.name, workflow: node.path };
    const missed = startOf(plan)?.missed === 'all' ? ({ missed: 'all' } as const) : {};
    await schedules.set({ name: node.id, cron, target, ...missed });
  } else await schedules.remove(node.id);
}
