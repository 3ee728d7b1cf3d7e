import { afterAll, beforeAll, describe } from 'vitest';
import type { Table } from '../../lib/ports/table.ts';
import { indexLaws, pageLaws, queryLaws, rangeLaws } from './table-queries.ts';
import { getLaws, valueLaws } from './table-reads.ts';
import { severalWriteLaws, singleWriteLaws, updateLaws } from './table-writes.ts';

/** A table under test. */
export interface Opened {
  readonly table: Table;
  close(): Promise<void>;
}

/** The contract of the port `Table`. */
export function tableContract(open: () => Promise<Opened>): void {
  let opened: Opened;
  const table = (): Table => opened.table;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());

  describe('values', () => valueLaws(table));
  describe('get', () => getLaws(table));
  describe('a single write', () => singleWriteLaws(table));
  describe('an update', () => updateLaws(table));
  describe('several writes', () => severalWriteLaws(table));
  describe('a query', () => queryLaws(table));
  describe('the range of a query', () => rangeLaws(table));
  describe('the pages of a query', () => pageLaws(table));
  describe('an index', () => indexLaws(table));
}
