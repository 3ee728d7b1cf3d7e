import type { Item } from '../../ports/table.ts';
import type { Migration } from './migration.ts';

const TIME_DIGITS = 15;
const DATE_LENGTH = 10;

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, DATE_LENGTH);
const orderOf = (ms: number, id: string): string => `${String(ms).padStart(TIME_DIGITS, '0')}#${id}`;

/** The index `by-namespace` was ordered by id, and is ordered by the beginning. Runs that ended are in a second index. */
function orderRun(item: Item): Item {
  // A call of a container is in no index.
  if (item['nsBucket'] === undefined || item['order'] !== undefined) return item;
  const id = String(item['id']);
  const begun = { ...item, order: orderOf(Number(item['created']), id) };
  if (item['status'] === 'pending') return begun;
  const ended = Number(item['updated']);
  return { ...begun, endBucket: `${item['n']}#${dateOf(ended)}`, endOrder: orderOf(ended, id) };
}

/** Listeners are in the same index; the attribute that orders them was `id`. */
function orderListener(item: Item): Item {
  if (item['order'] !== undefined) return item;
  const { id, ...rest } = item;
  return { ...rest, pk: item.pk, sk: item.sk, order: id };
}

const TRANSFORMS: Readonly<Record<string, (item: Item) => Item>> = { run: orderRun, listeners: orderListener };

/** To schema version 2: the runs in the order of time. */
export const runsByTime: Migration = {
  changes: {
    runs: (item) => {
      const kind = item.pk.slice(0, item.pk.indexOf('#'));
      const transform = Object.hasOwn(TRANSFORMS, kind) ? TRANSFORMS[kind] : undefined;
      return [transform === undefined ? item : transform(item)];
    },
  },
};
