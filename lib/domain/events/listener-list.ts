import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Key, Table } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import type { Filter } from '../runs/waits.ts';
import { deleteKeys, getAll } from '../storage/batches.ts';
import * as listenerKeys from '../storage/keys/listener-keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { cutOf, type List, mapList, spanOf, toList } from '../storage/lists.ts';
import { type Range, readAll } from '../storage/queries.ts';
import { type Piece, readCut, readWindow } from '../storage/windows.ts';
import { displayName, fromItem, keysOf, type Listener } from './listeners.ts';

/** The wire form of the listeners of one owner. */
export interface ListenerRecord {
  readonly workflow: string;
  readonly instance: string;
  readonly updatedAt: string;
  readonly mode: Listener['mode'];
  readonly events: readonly { readonly type: string; readonly filters: Readonly<Record<string, unknown>> }[];
  readonly createdAt: string;
  /** The event cancels the instance. */
  readonly cancels?: true;
}

const keyOf = ({ pk, sk }: Item): Key => ({ table: 'runs', pk, sk });

/** All filters of the owner of a listener in the index. */
const filtersOf = (item: Item): Filter[] =>
  item['filters'] === undefined ? [fromItem(item).filter] : (parseJson(String(item['filters'])) as Filter[]);

/** A record with the values that cursors need. */
interface Row {
  readonly record: ListenerRecord;
  readonly id: string;
  /** Its place in the index. */
  readonly position: string;
}

/** The row of an owner, from its listener in the index. */
function toRow(item: Item): Row {
  const { kind, owner, mode, path, created } = fromItem(item);
  const at = toTimestamp(created);
  const record: ListenerRecord = {
    workflow: path,
    instance: kind === 'start' ? '' : owner,
    updatedAt: at,
    mode,
    events: filtersOf(item).map(({ type, context }) => ({ type, filters: context })),
    createdAt: at,
    ...(kind === 'cancel' ? { cancels: true } : {}),
  };
  return { record, id: displayName({ kind, owner }), position: String(item['order']) };
}

/** Reads the records of rows of the index; those of listeners that were deleted meanwhile are left out. */
async function rowsOf({ table }: Pick<Ports, 'table'>, found: readonly Item[]): Promise<Row[]> {
  const items = await getAll(table, found.map(keyOf));
  return items.filter((item) => item !== undefined).map(toRow);
}

/** Whether the list is requested in the reverse order of the index. */
const isDescending = ({ order }: ListRequest): boolean =>
  order.find(({ field }) => field === 'UPDATED')?.direction === 'DESC';

/** The rows of the index that a request names. Only they are read. */
async function pieceOf(table: Table, range: Range, request: ListRequest): Promise<Piece> {
  if (request.cursor !== undefined) return readCut(table, [range], cutOf(request));
  const { from, to } = spanOf(request);
  const { items, total } = await readWindow(table, [range], { from, to });
  return { items, from: Math.min(from, total), total };
}

/** Lists the listeners of a namespace, one record an owner (rest-api reference, A.5). Only a page is read. */
export async function list(
  ports: Pick<Ports, 'table'>,
  namespace: Pick<Namespace, 'id' | 'spread'>,
  request: ListRequest,
): Promise<List<ListenerRecord>> {
  const range = { ...listenerKeys.ofNamespace(namespace), descending: isDescending(request) };
  const { items, from, total } = await pieceOf(ports.table, range, request);
  const rows = await rowsOf(ports, items);
  const placing = { from, total, idOf: ({ id }: Row) => id, positionOf: ({ position }: Row) => position };
  return mapList(toList(request, rows, placing), ({ record }) => record);
}

/** Deletes all listeners of a deleted namespace. */
export async function removeAll(
  { table }: Pick<Ports, 'table'>,
  namespace: Pick<Namespace, 'id' | 'spread'>,
): Promise<void> {
  const { id: namespaceId } = namespace;
  const rows = await readAll(table, listenerKeys.ofNamespace(namespace));
  const items = await getAll(table, rows.map(keyOf));
  const others = items.flatMap((item) => {
    if (item === undefined) return [];
    const { kind, owner: id } = fromItem(item);
    const partition = Number(item['partition'] ?? 0);
    return keysOf({ namespaceId, kind, id, partition }, filtersOf(item));
  });
  const descriptions = await readAll(table, listenerKeys.descriptionsOfAll(namespaceId));
  const all = [...rows.map(keyOf), ...others, ...descriptions.map(keyOf)];
  await deleteKeys(table, [...new Map(all.map((key) => [`${key.pk} ${key.sk}`, key])).values()]);
}
