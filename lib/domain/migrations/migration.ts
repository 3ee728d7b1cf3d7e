import type { Item, TableName } from '../../ports/table.ts';

/**
 * Returns the replacement of an item: the item itself, if it stays as it is; the same key with other attributes; items
 * with other keys; or none. Pure and idempotent: items of the new schema version are among those that it gets.
 */
export type Transform = (item: Item) => readonly Item[];

/**
 * The change from one version of the schema to the next. A migration contains the keys and attributes of its two versions
 * itself, and imports none: those of the code change later. On AWS the new code runs before a migration is complete, so
 * its readers accept the items of both versions.
 */
export interface Migration {
  /** By the table whose items change. */
  readonly changes: Readonly<Partial<Record<TableName, Transform>>>;
}
