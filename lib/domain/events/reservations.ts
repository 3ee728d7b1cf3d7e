import type { Ports } from '../../ports/ports.ts';
import type { Item, Key } from '../../ports/table.ts';
import { alreadyExists } from '../errors.ts';
import { getAll, type Put, putAt } from '../storage/batches.ts';
import { retryOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';

/** The key of the record to which the item for an id points. */
export const recordIn = ({ eventPk, eventSk }: Item): Key => ({
  table: 'journal',
  pk: String(eventPk),
  sk: String(eventSk),
});

/** Whether an item is void: it has the key of an event that was not recorded, so that a late process cannot record it. */
export const isVoid = (item: Item): boolean => item['void'] === true;

const isSame = (one: Key, other: Key): boolean => one.pk === other.pk && one.sk === other.sk;

/** Prevents the process that reserved an id from recording its event. Throws `exists` if the event is recorded. */
async function voidRecord({ table }: Pick<Ports, 'table'>, reserved: Key, ttl: Item[string]): Promise<void> {
  const [record] = await table.get([reserved]);
  if (record !== undefined && !isVoid(record)) throw alreadyExists();
  if (record === undefined) await table.write([putAt(reserved, { void: true, ttl }, { absent: true })]);
}

/**
 * Reserves the id of an event, before it is recorded at the key of the pointer; together they would be a transaction, which
 * costs twice as much. Throws `exists` when the namespace has an event with this id. An id whose event is not recorded is
 * taken over: the process that reserved it crashed, or cannot record the event any more.
 */
export async function reserve({ table }: Pick<Ports, 'table'>, pointer: Put): Promise<void> {
  const { pk, sk, eventPk, eventSk, ttl } = pointer.item;
  const own = recordIn(pointer.item);
  await retryOnConflict(async (attempt) => {
    const [found] = attempt === 1 ? [] : await table.get([{ table: 'journal', pk, sk }]);
    if (found === undefined) return table.write([{ ...pointer, when: { absent: true } }]);
    const reserved = recordIn(found);
    // The client of the database repeats a request whose response was lost.
    if (isSame(reserved, own)) return;
    await voidRecord({ table }, reserved, ttl);
    const equals = { eventPk: reserved.pk, eventSk: reserved.sk };
    await table.write([putAt({ table: 'journal', pk, sk }, { eventPk, eventSk, ttl }, { equals })]);
  });
}

/** Whether the namespace has events with these ids. */
export async function areRecorded(
  { table }: Pick<Ports, 'table'>,
  namespaceId: string,
  ids: readonly string[],
): Promise<boolean[]> {
  const pointers = await getAll(
    table,
    ids.map((id) => keys.eventId(namespaceId, id)),
  );
  const known = pointers.filter((pointer) => pointer !== undefined).map(recordIn);
  const items = await getAll(table, known);
  const recorded = new Set(
    items.filter((item) => item !== undefined && !isVoid(item)).map((item) => `${item?.pk} ${item?.sk}`),
  );
  return pointers.map((pointer) => {
    if (pointer === undefined) return false;
    const { pk, sk } = recordIn(pointer);
    return recorded.has(`${pk} ${sk}`);
  });
}
