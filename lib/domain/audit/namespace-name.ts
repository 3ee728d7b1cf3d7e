import type { Ports } from '../../ports/ports.ts';
import * as keys from '../storage/keys.ts';

/**
 * The name of the namespace of a run as `runs/items.ts` stores it; empty for an unknown run. A file of its own: functions that need
 * nothing else of runs stay small.
 */
export async function namespaceNameOf({ table }: Pick<Ports, 'table'>, id: string): Promise<string> {
  const [item] = await table.get([keys.run(id)]);
  return String(item?.['ns'] ?? '');
}
