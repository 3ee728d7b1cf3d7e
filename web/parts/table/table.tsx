import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { isNarrow } from '../../data/browser/viewport.ts';
import { roomOf, useRows } from '../scroll/rows.ts';
import { rowKeys } from './keys.ts';

export interface Column<Row> {
  readonly name: string;
  /** A track of a CSS grid. */
  readonly width: string;
  readonly isRight?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

/** Rows of which some may not be loaded yet. */
interface PartlyLoaded<Row> {
  readonly length: number;
  at(index: number): Row | undefined;
}

/** The buttons of each row, and their column. */
interface RowActions<Row> {
  readonly name: string;
  readonly width: string;
  readonly of: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | PartlyLoaded<Row>;
  readonly keyOf: (row: Row) => string;
  /** The address of a row's page; its first cell holds the link. */
  readonly hrefOf?: (row: Row) => string | undefined;
  /** A row on a narrow screen: two lines. */
  readonly narrow: (row: Row) => ComponentChildren;
  /** Buttons of a row, in a column of their own after the others; on a narrow screen beside the two lines. */
  readonly actions?: RowActions<Row> | undefined;
  /** Called with the range of visible rows, so that they can be loaded. */
  readonly onRange?: (from: number, to: number) => void;
  readonly isChosen?: (row: Row) => boolean;
  /** It shows all rows and scrolls with the page: for short lists. */
  readonly isWhole?: boolean;
}

const ROW = 32;
const NARROW_ROW = 56;

interface RowProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly href: string | undefined;
}

function Cells<Row>({ row, columns, href }: RowProps<Row>) {
  return (
    <>
      {columns.map(({ name, cell, isRight }, index) => (
        <td key={name} class={`cell${isRight ? ' right' : ''}`}>
          {index === 0 && href !== undefined ? (
            <a class="row-link" href={href}>
              {cell(row)}
            </a>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </>
  );
}

type NarrowProps<Row> = Omit<RowProps<Row>, 'columns'> & Pick<TableProps<Row>, 'narrow' | 'actions'>;

function NarrowCell<Row>({ row, href, narrow, actions }: NarrowProps<Row>) {
  return (
    <td class="cell narrow">
      {href === undefined ? (
        narrow(row)
      ) : (
        <a class="row-link" href={href}>
          {narrow(row)}
        </a>
      )}
      {actions?.of(row)}
    </td>
  );
}

/** The columns with that of the buttons. */
function columnsOf<Row>({ columns, actions }: Pick<TableProps<Row>, 'columns' | 'actions'>): readonly Column<Row>[] {
  return actions === undefined ? columns : [...columns, { name: actions.name, width: actions.width, cell: actions.of }];
}

function Head<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  const all = { name: columns.map(({ name }) => name).join(', '), isRight: false };
  return (
    <thead class={isNarrow.value ? 'unseen' : 'table-head'}>
      <tr class="row" aria-rowindex={1}>
        {(isNarrow.value ? [all] : columns).map(({ name, isRight }) => (
          <th key={name} scope="col" class={`cell${isRight ? ' right' : ''}`}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface BodyRowProps<Row> {
  readonly table: TableProps<Row>;
  readonly index: number;
}

function BodyRow<Row>({ table, index }: BodyRowProps<Row>) {
  const row = table.rows.at(index);
  if (row === undefined) {
    return (
      <tr class="row blank">
        <td class="cell">
          <span class="unseen">not loaded yet</span>
        </td>
      </tr>
    );
  }
  const href = table.hrefOf?.(row);
  const look = table.isChosen?.(row) === true ? 'row chosen' : 'row';
  return (
    <tr class={look} aria-rowindex={index + 2} data-index={index}>
      {isNarrow.value ? (
        <NarrowCell row={row} narrow={table.narrow} actions={table.actions} href={href} />
      ) : (
        <Cells row={row} columns={columnsOf(table)} href={href} />
      )}
    </tr>
  );
}

const indexesOf = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);

/**
 * Rows of equal height, of which only the visible ones exist. `j` and `k` move among them, `enter` opens one.
 */
export function Table<Row>(table: TableProps<Row>) {
  const { label, rows, keyOf, onRange, isWhole = false } = table;
  const columns = columnsOf(table);
  const count = rows.length;
  const height = isNarrow.value ? NARROW_ROW : ROW;
  const { range, scroller } = useRows(height, count);
  const from = isWhole ? 0 : range.value.from;
  const to = isWhole ? count : Math.min(range.value.to, count);
  useEffect(() => onRange?.(from, to), [onRange, from, to]);
  useEffect(() => rowKeys(() => scroller.current, height), [scroller, height]);
  const tracks = isNarrow.value ? 'minmax(0, 1fr)' : columns.map(({ width }) => width).join(' ');
  const sizes = { '--tracks': tracks, '--height': `${height}px` };
  return (
    <table class={`table${isWhole ? ' whole' : ''}`} aria-label={label} aria-rowcount={count + 1} style={sizes}>
      <Head columns={columns} />
      <tbody
        class="table-body rolled"
        ref={scroller}
        tabIndex={isWhole || table.hrefOf !== undefined ? undefined : 0}
        style={roomOf({ from, to }, count, height)}
      >
        {indexesOf(from, to).map((index) => {
          const row = rows.at(index);
          return <BodyRow key={row === undefined ? `blank ${index}` : keyOf(row)} {...{ table, index }} />;
        })}
      </tbody>
    </table>
  );
}
