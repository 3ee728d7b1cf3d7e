import type { Item } from '../../ports/table.ts';
import type { Step } from './migration.ts';

const LONGEST_MS = 15;
const LENGTH_OF_DAY = 10;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, LENGTH_OF_DAY);
const orderOf = (ms: number, id: string): string => `${String(ms).padStart(LONGEST_MS, '0')}#${id}`;

/** Instances were listed by their ids; they are by the time they began. Those that ended have a list of their own. */
function orderRun(item: Item): Item {
  // What is in no list is no instance.
  if (item['nsBucket'] === undefined || item['order'] !== undefined) return item;
  const id = String(item['id']);
  const begun = { ...item, order: orderOf(Number(item['created']), id) };
  if (item['status'] === 'pending') return begun;
  const ended = Number(item['updated']);
  return { ...begun, endBucket: `${item['n']}#${dayOf(ended)}`, endOrder: orderOf(ended, id) };
}

/** They are listed in the same index, by an attribute that had the name `id`. */
function orderListener(item: Item): Item {
  if (item['order'] !== undefined) return item;
  const { id, ...rest } = item;
  return { ...rest, pk: item.pk, sk: item.sk, order: id };
}

const KINDS: Readonly<Record<string, (item: Item) => Item>> = { run: orderRun, listeners: orderListener };

/** To layout 2: the runs in the order of time. */
export const runsByTime: Step = {
  changes: {
    runs: (item) => {
      const kind = item.pk.slice(0, item.pk.indexOf('#'));
      const change = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
      return [change === undefined ? item : change(item)];
    },
  },
};
