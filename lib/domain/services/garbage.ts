import type { Plan } from '../../compiler/plan/plan.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Containers } from '../../ports/containers.ts';
import type { Item, Table } from '../../ports/table.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { readAll, readPrefix } from '../storage/items.ts';
import * as keys from '../storage/keys.ts';
import * as revisions from '../tree/revisions.ts';
import { removeUnchanged } from './changes.ts';
import { versionOfPlan } from './resolution.ts';
import { fromItem } from './services.ts';

type Needs = {
  readonly table: Table;
  readonly blobs: Blobs;
  readonly containers: Containers;
  readonly clock: Clock;
};

/** Runs of a revision that no ref names any more may still call; milliseconds after the last call. */
const IDLE_MS = 60 * 60_000;

/** Whether a plan has functions that are containers of the workflow's own. */
export const definesServices = (plan: Plan | undefined): boolean =>
  Object.values(plan?.functions ?? {}).some(({ type }) => type === 'knative-workflow');

/** The newest revision and those that a ref names: the latest is one of them. */
async function liveRevisions({ table }: Needs, workflowId: string): Promise<readonly string[]> {
  const stored = await readAll(table, keys.workflow(workflowId), ['pk', 'sk']);
  const named = (await readAll(table, keys.refs(workflowId))).map((item) => String(item['revision']));
  const ids = stored.map(({ sk }) => sk);
  return ids.filter((id) => id === ids.at(-1) || named.includes(id));
}

/** What the functions of a workflow ask for, in all revisions by which it can be started. */
async function wantedVersions(ports: Needs, workflowId: string): Promise<ReadonlySet<string>> {
  const ids = await liveRevisions(ports, workflowId);
  const all = await Promise.all(ids.map((id) => revisions.need(ports, workflowId, id)));
  const functions = all.flatMap(({ plan }) => Object.entries(plan?.functions ?? {}));
  return new Set(
    functions.flatMap(([name, plan]) =>
      plan.type === 'knative-workflow' ? [versionOfPlan(workflowId, name, plan)] : [],
    ),
  );
}

async function collectAmong(ports: Needs, namespace: Namespace, workflowId: string, items: readonly Item[]) {
  const scope = { kind: 'workflow', namespace, workflow: { id: workflowId, path: '' } } as const;
  const idleSince = ports.clock.now() - IDLE_MS;
  const idle = items.map((item) => fromItem(item, scope)).filter(({ called }) => called < idleSince);
  if (idle.length === 0) return;
  const wanted = await wantedVersions(ports, workflowId);
  for (const service of idle) if (!wanted.has(service.version)) await removeUnchanged(ports, service);
}

/**
 * Deletes those services of a workflow that no revision by which it can be started asks for any more and that nobody
 * called for an hour. Whoever needs one all the same makes it anew.
 */
export async function collect(ports: Needs, namespace: Namespace, workflowId: string): Promise<void> {
  const place = keys.services(namespace.id);
  await collectAmong(
    ports,
    namespace,
    workflowId,
    await readPrefix(ports.table, place, keys.workflowServices(workflowId)),
  );
}

/** The same for all workflows of a namespace. */
export async function collectAll(ports: Needs, namespace: Namespace): Promise<void> {
  const items = await readPrefix(ports.table, keys.services(namespace.id), keys.WORKFLOW_SERVICES);
  const byWorkflow = Map.groupBy(items, ({ sk }) => keys.workflowOfService(sk));
  for (const [workflowId, some] of byWorkflow) await collectAmong(ports, namespace, workflowId, some);
}
