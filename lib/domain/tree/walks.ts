import type { Ports } from '../../ports/ports.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { batchesOf } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';
import * as nodes from './nodes.ts';
import * as revisions from './revisions.ts';

/** Yields the workflows of a namespace: those of a directory by their names, then those of the directories in it. */
export async function* workflowsOf(
  { table }: Pick<Ports, 'table'>,
  namespace: Namespace,
): AsyncGenerator<nodes.WorkflowNode> {
  const directories = [nodes.rootOf(namespace)];
  for (let next = directories.shift(); next !== undefined; next = directories.shift()) {
    const { id, path } = next;
    const children = (await readAll(table, keys.directory(id))).map((item) => nodes.fromItem(item, path));
    yield* children.filter(nodes.isWorkflow);
    directories.push(...children.filter(({ type }) => type === 'directory'));
  }
}

const READ_AT_ONCE = 100;

/** Reads the latest revision of each workflow; undefined for one that was deleted meanwhile. */
export async function latestOf(
  { table, blobs }: Pick<Ports, 'table' | 'blobs'>,
  workflows: readonly nodes.WorkflowNode[],
): Promise<(revisions.Revision | undefined)[]> {
  const found: (revisions.Revision | undefined)[] = [];
  for (const batch of batchesOf(workflows, READ_AT_ONCE)) {
    const items = await table.get(batch.map(({ id, latest }) => keys.revision(id, latest)));
    const read = batch.map(({ id }, index) => {
      const item = items[index];
      return item === undefined ? undefined : revisions.fromItem(blobs, id, item);
    });
    found.push(...(await Promise.all(read)));
  }
  return found;
}
