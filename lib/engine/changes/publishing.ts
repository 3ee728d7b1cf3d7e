import { secretsOf } from '../../compiler/plan/traits.ts';
import { scopesOf } from '../../domain/concurrency/limits.ts';
import { declare as declareSecrets } from '../../domain/credentials/secrets.ts';
import { note } from '../../domain/logs/change-lines.ts';
import * as purging from '../../domain/purging/purging.ts';
import { collectUnused, definesServices } from '../../domain/services/garbage.ts';
import { scopeOwner } from '../../domain/storage/keys/concurrency-keys.ts';
import { completeChange, followChangeOf } from '../../domain/tree/arming.ts';
import type { ResolvedNode, WorkflowNode } from '../../domain/tree/nodes.ts';
import { LATEST } from '../../domain/tree/refs.ts';
import type { Revision } from '../../domain/tree/revisions.ts';
import { countsLatest } from '../../domain/tree/routes.ts';
import * as tree from '../../domain/tree/tree.ts';
import * as workflows from '../../domain/tree/workflows.ts';
import { handOverAll } from '../delivery/hand-over.ts';
import { accountOf, onAccountOf } from '../evaluation/tenants.ts';
import { defineEarly } from '../machines/early-definitions.ts';
import type { CleanupPorts, EnginePorts } from '../ports.ts';
import { announce } from './announcements.ts';

type Source = { readonly namespace: string; readonly path: string; readonly source: string };
type NewWorkflow = Source & workflows.New;

/** Whether a revision lets more runs work at the same time than the one before. */
function allowsMore(before: Revision | undefined, { plan }: Revision): boolean {
  const limit = before?.plan?.concurrency?.limit;
  return limit !== undefined && (plan?.concurrency?.limit ?? Number.POSITIVE_INFINITY) > limit;
}

/**
 * Makes the dependents of a workflow follow its change: its machine, its secrets, its schedule if this revision decides
 * the start (`isStart`), and the namespace's events.
 */
async function updateDependents(
  ports: EnginePorts,
  opened: workflows.Opened,
  before: workflows.Opened | undefined,
  isStart = true,
): Promise<workflows.Opened> {
  const { namespace, node, revision } = opened;
  const account = accountOf(ports, { namespaceId: namespace.id, namespace: namespace.name });
  await onAccountOf(account, () => defineEarly(ports, opened));
  if (allowsMore(before?.revision, revision)) await handOverAll(ports, node.id);
  // Another workflow may have set lower limits.
  for (const scope of scopesOf(revision.plan).keys()) await handOverAll(ports, scopeOwner(namespace.id, scope));
  await declareSecrets(ports, namespace, secretsOf(revision.plan));
  if (isStart) await followChangeOf(ports, opened, before);
  const kind = before === undefined ? 'workflow.create' : 'workflow.update';
  await announce(ports, namespace, kind, { path: node.path, live: node.live });
  return opened;
}

/** Stores a new workflow and publishes it. Throws what `workflows.create` throws. */
export async function createWorkflow(
  ports: EnginePorts,
  { namespace, path, ...given }: NewWorkflow,
): Promise<workflows.Opened> {
  const opened = await workflows.create(ports, namespace, path, given);
  await note(ports, 'node.create', opened, 'workflow', opened.node.path);
  return updateDependents(ports, opened, undefined);
}

/**
 * Stores a workflow's next revision and publishes it. The same source again changes nothing, but completes the change of
 * its schedule if a request was interrupted; a machine that is missing then is defined by the first run that needs it.
 */
export async function updateWorkflow(
  ports: CleanupPorts,
  { namespace, path, source }: Source,
): Promise<workflows.Opened> {
  const before = await workflows.open(ports, namespace, path, { ref: LATEST });
  const after = await workflows.update(ports, before, source);
  if (after === before) {
    await completeChange(ports, before);
    return before;
  }
  await note(ports, 'workflow.update', after);
  if (definesServices(before.revision.plan)) await collectUnused(ports, after.namespace, after.node.id);
  return updateDependents(ports, after, before, countsLatest(after.node));
}

/** Discards the latest revision unless it is saved, and returns to the one before; without one, nothing changes. */
export async function discardLatest(ports: EnginePorts, namespace: string, path: string): Promise<workflows.Opened> {
  const before = await workflows.open(ports, namespace, path, { ref: LATEST });
  const after = await workflows.discard(ports, before);
  if (after === before) return before;
  await note(ports, 'revision.discard', after);
  return updateDependents(ports, after, before, countsLatest(after.node));
}

/** Divides the starts of a workflow among revisions. Throws what `workflows.divide` throws. */
export async function divideStarts(
  ports: EnginePorts,
  place: ResolvedNode<WorkflowNode>,
  division: Parameters<typeof workflows.divide>[2],
): Promise<workflows.Opened> {
  const { before, after } = await workflows.divide(ports, place, division);
  await followChangeOf(ports, after, before);
  const { namespace, node } = after;
  if (node.live === before.node.live) return after;
  await note(ports, 'workflow.toggle', after, node.live);
  await announce(ports, namespace, 'workflow.update', { path: node.path, live: node.live });
  return after;
}

/** Enables or disables a workflow; it may be so already. */
export async function toggleWorkflow(
  ports: EnginePorts,
  namespace: string,
  path: string,
  live: boolean,
): Promise<void> {
  const before = await workflows.open(ports, namespace, path);
  const after = await workflows.toggle(ports, before, live);
  if (after === before) return completeChange(ports, before);
  await note(ports, 'workflow.toggle', after, live);
  await updateDependents(ports, after, before);
}

/** Creates a directory. Throws what `tree.createDirectory` throws. */
export async function createDirectory(ports: EnginePorts, namespace: string, path: string): Promise<ResolvedNode> {
  const place = await tree.createDirectory(ports, namespace, path);
  await note(ports, 'node.create', place, 'directory', place.node.path);
  await announce(ports, place.namespace, 'directory.create', { path: place.node.path });
  return place;
}

/** Deletes a node with everything in it. Throws what `tree.remove` throws. */
export async function deleteNode(
  ports: CleanupPorts,
  namespace: string,
  path: string,
  recursive: boolean,
): Promise<void> {
  const { purge, node, namespace: owner } = await tree.remove(ports, namespace, path, recursive);
  await note(ports, 'node.delete', { namespace: owner }, node.type, node.path);
  const kind = node.type === 'workflow' ? 'workflow.delete' : 'directory.delete';
  await announce(ports, owner, kind, { path: node.path });
  await purging.finish(ports, purge);
}
