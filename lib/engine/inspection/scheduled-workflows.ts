import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import * as walks from '../../domain/tree/walks.ts';
import * as workflows from '../../domain/tree/workflows.ts';
import type { Ports } from '../../ports/ports.ts';
import { nextTick, parseCron } from '../../time/cron/cron.ts';
import { toTimestamp } from '../../time/timestamps.ts';

/** A workflow that the clock starts, as lists show it. */
export interface ScheduleRecord {
  readonly workflow: string;
  /** The pattern, as the workflow has it. */
  readonly cron: string;
  /** The next starts; none if the pattern is malformed. */
  readonly next: readonly string[];
}

/** How many starts of each workflow a list has. */
const NEXT = 5;

function nextOf(text: string, after: number): string[] {
  const cron = parseCron(text);
  const ticks: string[] = [];
  let at: number | undefined = after;
  while (!('problem' in cron) && ticks.length < NEXT) {
    at = nextTick(cron, at);
    if (at === undefined) break;
    ticks.push(toTimestamp(at));
  }
  return ticks;
}

/** The workflows of a namespace that the clock starts, by their paths; those that are disabled are not among them. */
export async function list(
  ports: Pick<Ports, 'table' | 'blobs' | 'clock'>,
  namespace: Namespace,
): Promise<ScheduleRecord[]> {
  const found: ScheduleRecord[] = [];
  for await (const node of walks.workflowsOf(ports, namespace)) {
    if (node.starts.schedules === 0) continue;
    const { start } = (await workflows.openNode(ports, { namespace, node })).revision.plan ?? {};
    if (start?.type !== 'scheduled') continue;
    found.push({ workflow: node.path, cron: start.cron, next: nextOf(start.cron, ports.clock.now()) });
  }
  return found.toSorted((a, b) => a.workflow.localeCompare(b.workflow));
}
