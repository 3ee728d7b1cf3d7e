import type { DataKey, Sealer } from '../../ports/sealer.ts';
import { ConflictError, type Item, type Table, type Write } from '../../ports/table.ts';
import * as keys from '../storage/keys.ts';

/** Whose credentials they are that belong to no namespace. */
export const INSTALLATION = 'installation';

const bindingOf = (owner: string) => ({ kind: 'data-key', owner });

/** A stored data key. It opens only what is sealed for its owner, so an item moved elsewhere opens nothing. */
export function fromItem(owner: string, item: Item): DataKey {
  return { sealed: item['sealed'] as Uint8Array, binding: bindingOf(owner) };
}

async function find(table: Table, owner: string): Promise<DataKey | undefined> {
  const [item] = await table.get([keys.dataKey(owner)]);
  return item === undefined ? undefined : fromItem(owner, item);
}

/**
 * The data key of a namespace's id, or of the installation; the first who needs it makes it, once. It is made on the
 * condition of `guard`, and Conflict is thrown when that does not hold.
 */
export async function obtain(
  { table, sealer }: { readonly table: Table; readonly sealer: Sealer },
  owner: string,
  guard: readonly Write[] = [],
): Promise<DataKey> {
  const known = await find(table, owner);
  if (known !== undefined) return known;
  const made = await sealer.newDataKey(bindingOf(owner));
  const { pk, sk } = keys.dataKey(owner);
  try {
    await table.write([
      ...guard,
      { do: 'put', table: 'catalog', item: { pk, sk, sealed: made.sealed }, when: { absent: true } },
    ]);
    return made;
  } catch (error) {
    const first = error instanceof ConflictError ? await find(table, owner) : undefined;
    if (first === undefined) throw error;
    return first;
  }
}
