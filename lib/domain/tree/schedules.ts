import type { Plan } from '../../compiler/plan/plan.ts';
import type { Schedules } from '../../ports/schedules.ts';
import { parseCron } from '../../time/cron/cron.ts';
import type { Opened } from './workflows.ts';

const cronOf = (plan: Plan | undefined): string | undefined =>
  plan?.start.type === 'scheduled' ? plan.start.cron : undefined;

/**
 * Sees to it that the clock starts the workflow as its plan says, if it is live; `before` is the plan it had. A cron
 * text that cannot be read never fires, as it always was (workflow language, section 3).
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
