import type { Ports } from '../../ports/ports.ts';
import type { DataKey } from '../../ports/sealer.ts';
import type { Item, Table, Write } from '../../ports/table.ts';
import { putAt } from '../storage/batches.ts';
import { onConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';

/** The owner of credentials that belong to no namespace. */
export const INSTALLATION = 'installation';

const bindingOf = (owner: string) => ({ kind: 'data-key', owner });

/** The data key of an item. It is bound to its owner: an item that is moved to another key decrypts nothing. */
export function fromItem(owner: string, item: Item): DataKey {
  return { sealed: item['sealed'] as Uint8Array, binding: bindingOf(owner) };
}

async function find(table: Table, owner: string): Promise<DataKey | undefined> {
  const [item] = await table.get([keys.dataKey(owner)]);
  return item === undefined ? undefined : fromItem(owner, item);
}

/**
 * Returns the data key of an owner, which is the id of a namespace or the installation. The first call creates it, in
 * one transaction with the checks in `guard`. Throws ConflictError when one of these does not hold.
 */
export async function obtain(
  { table, sealer }: Pick<Ports, 'table' | 'sealer'>,
  owner: string,
  guard: readonly Write[] = [],
): Promise<DataKey> {
  const known = await find(table, owner);
  if (known !== undefined) return known;
  const made = await sealer.newDataKey(bindingOf(owner));
  const put = putAt(keys.dataKey(owner), { sealed: made.sealed }, { absent: true });
  const store = async () => {
    await table.write([...guard, put]);
    return made;
  };
  return onConflict(store(), async (conflict) => {
    const first = await find(table, owner);
    if (first === undefined) throw conflict;
    return first;
  });
}
