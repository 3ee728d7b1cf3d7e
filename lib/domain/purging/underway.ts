import type { Ports } from '../../ports/ports.ts';
import * as keys from '../storage/keys.ts';
import { pagesOf } from '../storage/queries.ts';

const contains = (directory: string, path: string): boolean => path === directory || path.startsWith(`${directory}/`);

/** Whether a workflow or a directory is being deleted that had a path, or one above or below it. */
export async function isUnderway({ table }: Pick<Ports, 'table'>, namespaceId: string, path: string): Promise<boolean> {
  for await (const items of pagesOf(table, keys.PURGES)) {
    const paths = items.filter((item) => item['namespaceId'] === namespaceId).map((item) => item['path']);
    if (paths.some((one) => typeof one === 'string' && (contains(one, path) || contains(path, one)))) return true;
  }
  return false;
}
