import type { Ports } from '../../ports/ports.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { ServiceError } from '../errors.ts';
import { pathOf, segmentsOf } from '../names.ts';
import { orderedId } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import { findKept } from './kept-sources.ts';
import * as nodes from './nodes.ts';
import * as refs from './refs.ts';
import * as revisions from './revisions.ts';
import type { Opened } from './workflows.ts';

type Readers = Pick<Ports, 'table' | 'blobs'>;

const isMissing = (error: unknown): boolean => error instanceof ServiceError && error.code === 'not-found';

/**
 * Returns a revision of a workflow by its id, also one without a ref; undefined if the workflow has none with this id, or
 * the text is no id.
 */
async function findRevision(ports: Readers, workflow: string, id: string): Promise<revisions.Revision | undefined> {
  if (!refs.isRevisionId(id)) return undefined;
  return revisions.need(ports, workflow, id.toLowerCase()).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

/** The node of a workflow that was deleted, as it is shown with one of its revisions. */
function deletedNode(path: string, { workflow, id, created }: revisions.Revision): nodes.WorkflowNode {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const times = { created, updated: created };
  const none = { attributes: [], directory: '', live: false, logger: '', routes: [] };
  const starts = { schedules: 0, ticks: 0, listeners: 0 };
  return { id: workflow, type: 'workflow', name, path, ...times, ...none, starts, latest: id };
}

async function findDeleted(
  ports: Readers,
  namespaceName: string,
  path: string,
  id: string,
): Promise<Opened | undefined> {
  if (!refs.isRevisionId(id)) return undefined;
  const { namespace } = await nodes.need(ports, namespaceName, '/');
  const kept = await findKept(ports, namespace.id, id.toLowerCase());
  if (kept === undefined || kept.path !== pathOf(segmentsOf(path))) return undefined;
  return { namespace, node: deletedNode(kept.path, kept.revision), revision: kept.revision };
}

/**
 * Opens a workflow to read a revision of it by its id: also one that has no ref, and one of a workflow that was deleted
 * while its runs are kept. Returns undefined if there is none.
 */
export async function openForReading(
  ports: Readers,
  namespace: string,
  path: string,
  id: string,
): Promise<Opened | undefined> {
  const place = await nodes.needWorkflow(ports, namespace, path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const revision = place === undefined ? undefined : await findRevision(ports, place.node.id, id);
  if (place !== undefined && revision !== undefined) return { ...place, revision };
  return findDeleted(ports, namespace, path, id);
}

/** The most revisions of a page. */
const MAX_PAGE = 100;

/** A page of a history: `limit` revisions before the one with the id `cursor`, or the newest ones if it is empty. */
export interface HistoryPage {
  readonly limit: number;
  readonly cursor: string;
}

/** Lists all revisions of a workflow with the tags of each, the newest first, without their sources. */
export async function listHistory(
  ports: Pick<Ports, 'table'>,
  node: nodes.WorkflowNode,
  { limit, cursor }: HistoryPage,
) {
  const most = Math.min(limit > 0 ? limit : MAX_PAGE, MAX_PAGE);
  const found = await ports.table.query({
    ...keys.revisions(node.id),
    ...(cursor === '' ? {} : { to: orderedId(cursor) }),
    descending: true,
    limit: most + 2,
    only: ['created', 'hash'],
  });
  const items = found.items.filter((item) => revisions.idIn(item) !== cursor);
  const named = await refs.all(ports, node);
  const rows = items.slice(0, most).map((item) => {
    const id = revisions.idIn(item);
    const names = named.filter(({ revision }) => revision === id).map(({ name }) => name);
    return {
      revision: id,
      createdAt: toTimestamp(Number(item['created'])),
      hash: String(item['hash']),
      latest: id === node.latest,
      saved: names.includes(id),
      tags: names.filter((name) => name !== id),
    };
  });
  const last = rows.at(-1);
  return { revisions: rows, ...(items.length > most && last !== undefined ? { next: last.revision } : {}) };
}
