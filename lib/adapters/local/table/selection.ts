import type { Query, TextCondition } from '../../../ports/table.ts';
import type { KeyRange, Place } from '../../portable/pages.ts';
import { keysOf } from '../../portable/schema.ts';
import { attributeColumn, rowsOf, searchedIn } from './schema.ts';

/** The rows of a query in SQL, from `FROM` to its conditions, and their values. */
export interface Selection {
  readonly from: string;
  readonly values: readonly string[];
}

const RANGE = { from: '>=', to: '<=' } as const;

/** The key columns of a query, in its order, and the order as SQL. */
export function selectionPartsOf({ index, descending }: Query) {
  const names = index === undefined ? ['sk'] : ['range', 'pk', 'sk'];
  const sorted = names.map((name) => `found.${name}`);
  const direction = descending ? ' DESC' : '';
  return {
    columns: index === undefined ? 'found.pk, found.sk' : sorted.join(', '),
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

/** The columns of the attributes that a query returns, by attribute; undefined if only the items themselves have them all. */
export function coveringColumns({ table, index, only }: Query): ReadonlyMap<string, string> | undefined {
  if (only === undefined) return undefined;
  const { hash, range } = keysOf(table, index);
  const keys = index === undefined ? {} : { [hash]: 'hash', [range]: 'range' };
  const searched = searchedIn(rowsOf(table, index)).map((name) => [name, name] as const);
  const known = new Map<string, string>([...Object.entries({ pk: 'pk', sk: 'sk', ...keys }), ...searched]);
  if (!only.every((name) => known.has(name))) return undefined;
  return new Map(only.map((name) => [name, known.get(name) ?? name]));
}

/** What a query selects beside its key columns: the columns of its attributes and about the bytes of a row, or the item. */
export function selectedOf(query: Query): string {
  const columns = coveringColumns(query);
  if (columns === undefined) return 'text, bytes';
  const isCopied = searchedIn(rowsOf(query.table, query.index)).length === 0;
  const size = isCopied ? 'octet_length(text)' : 'octet_length(found.pk || found.range)';
  return [...Array.from(columns.values(), (name) => `found."${name}"`), `${size} AS size`].join(', ');
}

/**
 * The items of an index that has no copies of them. The order of the join is fixed: rows of the index are read in their order,
 * and an item only for a row that fits.
 */
function joinOf(query: Query): string {
  const { table, index, count = false, where = [] } = query;
  const searched = searchedIn(rowsOf(table, index));
  const isCovered = count || coveringColumns(query) !== undefined;
  const readsItems = !isCovered || where.flat().some(({ attribute }) => !searched.includes(attribute));
  if (searched.length === 0 || !readsItems) return '';
  return ` CROSS JOIN ${rowsOf(table)} AS item ON item.pk = found.pk AND item.sk = found.sk`;
}

/** The rows of a query. */
export function selectionOf(query: Query, range: KeyRange, place: Place | undefined): Selection {
  const { table, index, pk, where = [], descending } = query;
  const rows = rowsOf(table, index);
  const [hash, order] = index === undefined ? ['found.pk', 'found.sk'] : ['found.hash', 'found.range'];
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
      `(${group.map(({ attribute, is }) => TESTS[is](attributeColumn(rows, needName(attribute)))).join(' OR ')})`,
    );
    values.push(...group.map(({ text }) => text));
  }
  return { from: `FROM ${rows} AS found${joinOf(query)} WHERE ${parts.join(' AND ')}`, values };
}
