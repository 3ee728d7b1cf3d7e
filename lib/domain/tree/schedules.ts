import type { Plan } from '../../compiler/plan/plan.ts';
import type { Schedules } from '../../ports/schedules.ts';
import { parseCron } from '../../time/cron/cron.ts';
import type { Opened } from './workflows.ts';

const cronOf = (plan: Plan | undefined): string | undefined =>
  plan?.start.type === 'scheduled' ? plan.start.cron : undefined;

/**
 * Sets or removes the schedule of a workflow, according to its plan and whether it is live; `before` is its former plan.
 * A malformed cron text never fires, as in the original (workflow language, section 3).
 */
export async function arm(
  { schedules }: { readonly schedules: Schedules },
  { namespace, node, revision }: Opened,
  before: Plan | undefined,
): Promise<void> {
  const cron = node.live ? cronOf(revision.plan) : undefined;
  if (cron !== undefined && !('problem' in parseCron(cron))) {
    const target = { id: node.id, namespace: namespace.name, workflow: node.path };
    await schedules.set({ name: node.id, cron, target });
  } else if (cronOf(before) !== undefined) await schedules.remove(node.id);
}
