import type { Query, TextCondition } from '../../../ports/table.ts';
import type { KeyRange, Place } from '../../portable/pages.ts';
import { keysOf } from '../../portable/schema.ts';
import { attributeColumn, itemColumn, rowsOf, searchedIn } from './schema.ts';

/** The rows of a query in SQL, from `FROM` to its conditions, and their values. */
export interface Selection {
  readonly from: string;
  readonly values: readonly string[];
  /** The columns of the item, as SQL. */
  readonly item: string;
  /** About the bytes of an item, as SQL. */
  readonly size: string;
}

const RANGE = { from: '>=', to: '<=' } as const;

/** The key columns of a query, in its order, and the order as SQL. */
export function selectionPartsOf({ index, descending }: Query) {
  const sorted = index === undefined ? ['sk'] : ['range', 'pk', 'sk'];
  const direction = descending ? ' DESC' : '';
  return {
    columns: index === undefined ? 'pk, sk' : 'range, pk, sk',
    order: `ORDER BY ${sorted.map((name) => name + direction).join()}`,
    sorted,
  };
}

/** A condition on the value of an attribute as SQL, with the condition's text in place of each question mark. */
const TESTS: Readonly<Record<TextCondition['is'], (value: string) => string>> = {
  'equal to': (value) => `${value} = ?`,
  'beginning with': (value) => `instr(${value}, ?) = 1`,
  containing: (value) => `instr(${value}, ?) > 0`,
};

const NAME = /^\w+$/;

function needName(attribute: string): string {
  if (NAME.test(attribute)) return attribute;
  throw new Error(`a query cannot have a condition on the attribute '${attribute}'`);
}

/** The rows of a query. */
export function selectionOf(query: Query, range: KeyRange, place: Place | undefined): Selection {
  const { table, index, pk, where = [], descending } = query;
  const rows = rowsOf(table, index);
  const [hash, order] = index === undefined ? ['pk', 'sk'] : ['hash', 'range'];
  const begin = descending ? 'to' : 'from';
  const parts = [`${hash} = ?`];
  const values = [pk];
  for (const [side, operator] of Object.entries(RANGE)) {
    const value = range[side as keyof KeyRange];
    if (value === undefined) continue;
    // The plus keeps SQLite from seeking to this end of the range: it must seek to the cursor, which is behind it.
    parts.push(`${place !== undefined && side === begin ? '+' : ''}${order} ${operator} ?`);
    values.push(value);
  }
  if (place !== undefined) {
    const { sorted } = selectionPartsOf(query);
    const names = index === undefined ? ['sk'] : [keysOf(table, index).range, 'pk', 'sk'];
    parts.push(`(${sorted.join()}) ${descending ? '<' : '>'} (${sorted.map(() => '?').join()})`);
    values.push(...names.map((name) => place.get(name) ?? ''));
  }
  for (const group of where) {
    parts.push(
      `(${group.map(({ attribute, is }) => TESTS[is](attributeColumn(table, index, needName(attribute)))).join(' OR ')})`,
    );
    values.push(...group.map(({ text }) => text));
  }
  const columns = (['text', 'bytes'] as const).map((column) => `${itemColumn(table, index, column)} AS ${column}`);
  const isCopied = searchedIn(rows).length === 0;
  return {
    from: `FROM ${rows} AS found WHERE ${parts.join(' AND ')}`,
    values,
    item: columns.join(', '),
    size: `octet_length(${isCopied ? 'text' : 'pk || range'})`,
  };
}
