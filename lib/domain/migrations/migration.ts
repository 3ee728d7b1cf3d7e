import type { Item, TableName } from '../../ports/table.ts';

/**
 * What stands in the place of an item: it itself, and nothing has to be done; the same keys with other attributes; other
 * items, or none. Pure, and done again it changes nothing: items of the new layout are among those it gets.
 */
export type Change = (item: Item) => readonly Item[];

/**
 * The way from one layout of the tables to the next. It tells how things were and how they became, which stays true
 * whatever becomes of keys and records later: so it imports nothing of theirs.
 */
export interface Step {
  /** By the table whose items change. */
  readonly changes: Readonly<Partial<Record<TableName, Change>>>;
}
