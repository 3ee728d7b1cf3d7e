import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { Ports } from '../../ports/ports.ts';
import type { Item } from '../../ports/table.ts';
import { DAY_MS } from '../../time/units.ts';
import { notFound, ServiceError } from '../errors.ts';
import { batchesOf, putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';
import { compileText, type ReadingPorts } from './reading.ts';
import * as revisions from './revisions.ts';

type Needs = Pick<Ports, 'table' | 'blobs'>;

/** A source that is compressed to more is not kept: an item has at most 400 KB. */
const MAX_BYTES = 350_000;

/** A run is kept for 30 days after its end, and one that is pending now ends later. */
const KEPT_MS = 60 * DAY_MS;
const WRITES_AT_ONCE = 10;

/** A workflow that is deleted. */
interface DeletedWorkflow {
  readonly id: string;
  readonly namespaceId: string;
  readonly path: string;
}

/**
 * Keeps the sources of a workflow that is about to be deleted, as long as runs of it can be kept. Repeating it changes
 * nothing but the time.
 */
export async function keepSources(
  ports: Needs & Pick<Ports, 'clock'>,
  { id, namespaceId, path }: DeletedWorkflow,
): Promise<void> {
  const { table, blobs, clock } = ports;
  const ttl = Math.ceil((clock.now() + KEPT_MS) / 1000);
  const keep = async (stored: Item): Promise<void> => {
    const { id: revision, created, hash, source } = await revisions.fromItem(blobs, id, stored);
    const text = brotliCompressSync(source);
    if (text.length > MAX_BYTES) return;
    const attributes = { workflow: id, path, created, hash, source: text, ttl };
    await table.write([putAt(keys.keptSource(namespaceId, revision), attributes)]);
  };
  for (const batch of batchesOf(await readAll(table, keys.revisions(id)), WRITES_AT_ONCE)) {
    await Promise.all(batch.map(keep));
  }
}

/** A revision of a deleted workflow, and the path that the workflow had. */
export interface KeptRevision {
  readonly path: string;
  readonly revision: revisions.Revision;
}

/** Returns a revision of a workflow that was deleted; undefined if its source is not kept. */
export async function findKept(
  ports: Pick<Ports, 'table'> & ReadingPorts,
  namespaceId: string,
  revisionId: string,
): Promise<KeptRevision | undefined> {
  const [item] = await ports.table.get([keys.keptSource(namespaceId, revisionId)]);
  const bytes = item?.['source'];
  if (item === undefined || !(bytes instanceof Uint8Array)) return undefined;
  const source = brotliDecompressSync(bytes).toString();
  const compiled = await compileText(ports, { tenant: namespaceId, source });
  const revision: revisions.Revision = {
    id: revisionId,
    workflow: String(item['workflow']),
    created: Number(item['created']),
    hash: String(item['hash']),
    source,
    machines: {},
    ...('plan' in compiled ? { plan: compiled.plan } : {}),
  };
  return { path: String(item['path']), revision };
}

/** Returns the revision of a run, also after its workflow was deleted. Throws `not-found`. */
export async function needOfRun(
  ports: Needs,
  run: { readonly namespaceId: string; readonly workflowId: string; readonly revision: string },
): Promise<revisions.Revision> {
  try {
    return await revisions.need(ports, run.workflowId, run.revision);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not-found') throw error;
    const kept = await findKept(ports, run.namespaceId, run.revision);
    if (kept === undefined) throw notFound('revision');
    return kept.revision;
  }
}
