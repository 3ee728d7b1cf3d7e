import type { Page, TableName } from './table.ts';

/** All that is in the tables, for what must look at every item once. */
export interface Inventory {
  /** A page of a table, in no order; `next` is that of the page before. Strongly consistent. */
  page(table: TableName, next?: string): Promise<Page>;
}
