import { call } from '../api/client.ts';

/** A stored text of a workflow. */
export interface RevisionInfo {
  readonly id: string;
  readonly createdAt: string;
  /** Tags of the revision, `latest` included. */
  readonly tags: readonly string[];
  /** The next change of the workflow does not replace it. */
  readonly isSaved: boolean;
}

const MOST = 100;

async function detailOf(namespace: string, node: string, ref: string) {
  const reply = await call('getNode', { namespace, node }, { query: { ref } });
  return 'revision' in reply ? { id: reply.revision.name, createdAt: reply.revision.createdAt } : undefined;
}

/** The revisions of a workflow with their tags, the newest first. */
export async function revisionsOf(namespace: string, node: string): Promise<readonly RevisionInfo[]> {
  const path = { namespace, node };
  const [saved, tags] = await Promise.all([
    call('listRevisions', path, { query: { limit: MOST } }),
    call('listTags', path, { query: { limit: MOST } }),
  ]);
  const savedIds = saved.results.map(({ name }) => name);
  const pointers = await Promise.all(
    tags.results.map(async ({ name }) => ({ tag: name, to: await detailOf(namespace, node, name) })),
  );
  const others = await Promise.all(savedIds.map((id) => detailOf(namespace, node, id)));
  const found = new Map<string, RevisionInfo>();
  for (const detail of [...others, ...pointers.map(({ to }) => to)]) {
    if (detail === undefined) continue;
    const own = pointers.filter(({ to }) => to?.id === detail.id).map(({ tag }) => tag);
    found.set(detail.id, { ...detail, tags: own.toSorted(), isSaved: savedIds.includes(detail.id) });
  }
  return [...found.values()].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
}
