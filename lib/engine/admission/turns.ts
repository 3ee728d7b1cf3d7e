import type { Table } from '../../ports/table.ts';

/** The last work of each name that has not ended, by the table on which it works. */
const last = new WeakMap<Table, Map<string, Promise<unknown>>>();

/**
 * Does the works of one name on a table one after the other in this process: at the same time they would repeat each other's
 * transactions. Returns what the work returns, and throws what it throws.
 */
export function inTurn<T>(table: Table, name: string, work: () => Promise<T>): Promise<T> {
  const works = last.get(table) ?? new Map<string, Promise<unknown>>();
  last.set(table, works);
  const own = (works.get(name) ?? Promise.resolve()).then(work, work);
  works.set(name, own);
  const forget = (): void => {
    if (works.get(name) === own) works.delete(name);
  };
  own.then(forget, forget);
  return own;
}
