import type { Page, TableName } from './table.ts';

/** Scans whole tables, for work that must visit every item once. */
export interface Inventory {
  /** Returns a page of a table, in no order; `next` is that of the page before. Strongly consistent. */
  page(table: TableName, next?: string): Promise<Page>;
}
