import type { Item, Write } from '../../ports/table.ts';
import * as keys from '../storage/keys.ts';

/** What the tree of a namespace has, or by how much a change changes that. */
export interface TreeCounts {
  readonly workflows: number;
  /** Workflows that the clock starts. */
  readonly schedules: number;
  /** How often the clock starts them, times in an hour. */
  readonly ticks: number;
  /** Event filters by which workflows start. */
  readonly listeners: number;
}

/** The counts in the item of a namespace. */
export function treeCountsIn(item: Item): TreeCounts {
  const countOf = (name: keyof TreeCounts) => Math.max(Number(item[name] ?? 0), 0);
  const [workflows, schedules] = [countOf('workflows'), countOf('schedules')];
  return { workflows, schedules, ticks: countOf('ticks'), listeners: countOf('listeners') };
}

/** The writes that count a change of the tree of a namespace: part of its transaction. They fail if it was deleted. */
export function countingWrites(
  { id, name }: { readonly id: string; readonly name: string },
  counts: Partial<TreeCounts>,
): Write[] {
  const add = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
  if (Object.keys(add).length === 0) return [];
  return [{ do: 'update', key: keys.namespace(name), add, when: { equals: { id } } }];
}
