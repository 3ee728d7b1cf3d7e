import type { Item, Key, Value } from '../../../ports/table.ts';
import type { StoredItem } from './items.ts';

const MAX_ITEMS = 2000;
/** Larger items are not kept, characters. */
const MAX_LENGTH = 4096;

type ItemKey = Pick<Key, 'pk' | 'sk'>;

const nameOf = ({ pk, sk }: ItemKey): string => `${pk.length} ${pk} ${sk}`;

function freeze(value: Value | undefined): void {
  if (typeof value !== 'object' || value === null) return;
  for (const one of Object.values(value)) freeze(one);
  Object.freeze(value);
}

/**
 * The small items of a table that were read most recently: namespaces and nodes are read by almost every request. This
 * process is the only writer, so an item is valid until it is written here. Items are frozen, since several readers have
 * them; items with bytes, which cannot be frozen, are not kept.
 */
export class ItemCache {
  readonly #items = new Map<string, Item>();

  get(key: ItemKey): Item | undefined {
    return this.#items.get(nameOf(key));
  }

  /** Keeps an item as it was read, outside of a change that may be undone. */
  keep(item: Item, { text, bytes }: StoredItem): void {
    if (bytes !== null || text.length > MAX_LENGTH) return;
    if (this.#items.size >= MAX_ITEMS) this.#items.clear();
    for (const value of Object.values(item)) freeze(value);
    this.#items.set(nameOf(item), Object.freeze(item));
  }

  /** Must be called when changes were undone that were read already. */
  clear(): void {
    this.#items.clear();
  }

  /** Must be called whenever an item is written or removed. */
  forget(key: ItemKey): void {
    this.#items.delete(nameOf(key));
  }
}
