import type { Ports } from '../../ports/ports.ts';
import * as keys from '../storage/keys.ts';
import { pagesOf } from '../storage/queries.ts';

const contains = (directory: string, path: string): boolean => path === directory || path.startsWith(`${directory}/`);

/** The markers of the purges of workflows and directories that had a path, or one above or below it. */
export async function underwayAt(
  { table }: Pick<Ports, 'table'>,
  namespaceId: string,
  path: string,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const items of pagesOf(table, keys.PURGES)) {
    for (const { sk, namespaceId: of, path: one } of items) {
      const isThere = of === namespaceId && typeof one === 'string' && (contains(one, path) || contains(path, one));
      if (isThere) found.add(sk);
    }
  }
  return found;
}
