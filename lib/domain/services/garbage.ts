import type { Plan } from '../../compiler/plan/plan.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item } from '../../ports/table.ts';
import { HOUR_MS } from '../../time/units.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';
import * as revisions from '../tree/revisions.ts';
import { removeUnchanged } from './changes.ts';
import { versionOfPlan } from './resolution.ts';
import { fromItem } from './services.ts';

type Needs = Pick<Ports, 'table' | 'blobs' | 'containers' | 'clock'>;

/** How long an unused service is kept after its last call: runs of a former revision can still call it. */
const IDLE_MS = HOUR_MS;

/** Whether a plan defines services of the workflow. */
export const definesServices = (plan: Plan | undefined): boolean =>
  Object.values(plan?.functions ?? {}).some(({ type }) => type === 'knative-workflow');

/** The ids of the newest revision, and of those with a ref. The latest revision is among them. */
async function liveRevisions({ table }: Needs, workflowId: string): Promise<readonly string[]> {
  const stored = await readAll(table, { ...keys.revisions(workflowId), only: [] });
  const named = (await readAll(table, keys.refs(workflowId))).map((item) => String(item['revision']));
  const ids = stored.map(revisions.idIn);
  return ids.filter((id) => id === ids.at(-1) || named.includes(id));
}

/** The versions of the services that the live revisions of a workflow define. */
async function usedVersions(ports: Needs, workflowId: string): Promise<ReadonlySet<string>> {
  const ids = await liveRevisions(ports, workflowId);
  const all = await Promise.all(ids.map((id) => revisions.need(ports, workflowId, id)));
  const functions = all.flatMap(({ plan }) => Object.entries(plan?.functions ?? {}));
  const versions = functions.flatMap(([name, plan]) =>
    plan.type === 'knative-workflow' ? [versionOfPlan(workflowId, name, plan)] : [],
  );
  return new Set(versions);
}

async function collect(ports: Needs, namespace: Namespace, workflowId: string, items: readonly Item[]): Promise<void> {
  const scope = { kind: 'workflow', namespace, workflow: { id: workflowId, path: '' } } as const;
  const idleSince = ports.clock.now() - IDLE_MS;
  const idle = items.map((item) => fromItem(item, scope)).filter(({ called }) => called < idleSince);
  if (idle.length === 0) return;
  const used = await usedVersions(ports, workflowId);
  for (const service of idle) if (!used.has(service.version)) await removeUnchanged(ports, service);
}

/**
 * Deletes the services of a workflow that no live revision defines and that were not called for an hour. A run that calls
 * such a service later creates it again.
 */
export async function collectUnused(ports: Needs, namespace: Namespace, workflowId: string): Promise<void> {
  const items = await readAll(ports.table, keys.workflowServices(namespace.id, workflowId));
  await collect(ports, namespace, workflowId, items);
}

/** As `collectUnused`, for all workflows of a namespace. */
export async function collectAllUnused(ports: Needs, namespace: Namespace): Promise<void> {
  const items = await readAll(ports.table, keys.workflowServices(namespace.id));
  const byWorkflow = Map.groupBy(items, ({ sk }) => keys.workflowIdIn(sk));
  for (const [workflowId, some] of byWorkflow) await collect(ports, namespace, workflowId, some);
}
