import type { Ports } from '../../ports/ports.ts';
import type { Item, Key } from '../../ports/table.ts';
import { alreadyExists } from '../errors.ts';
import { getAll, type Put, putAt } from '../storage/batches.ts';
import { retryOnConflict } from '../storage/conflicts.ts';
import { sha256 } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';

/** The first 128 bits of SHA-256, hexadecimal. */
export const hashOf = (text: string): string => sha256(text).slice(0, 32);

/** The key of the record to which the item for an id points. */
export const recordIn = ({ eventPk, eventSk }: Item): Key => ({
  table: 'journal',
  pk: String(eventPk),
  sk: String(eventSk),
});

/** Whether an item is void: it has the key of an event that was not recorded, so that a late process cannot record it. */
export const isVoid = (item: Item): boolean => item['void'] === true;

/** Whether a pointer leads to an event of the source. One of an older version has no source: then of each, as in that version. */
export const isOfSource = ({ source: hash }: Item, source: string): boolean =>
  hash === undefined || hash === hashOf(source);

const isSame = (one: Key, other: Key): boolean => one.pk === other.pk && one.sk === other.sk;

/** Prevents the process that reserved an id from recording its event. Throws `exists` if the event is recorded. */
async function voidRecord({ table }: Pick<Ports, 'table'>, reserved: Key, ttl: Item[string]): Promise<void> {
  const [record] = await table.get([reserved]);
  if (record !== undefined && !isVoid(record)) throw alreadyExists();
  if (record === undefined) await table.write([putAt(reserved, { void: true, ttl }, { absent: true })]);
}

/**
 * Reserves the id of an event, before it is recorded at the key of the pointer; together they would be a transaction, which
 * costs twice as much. Returns false if an event of another source has the id, and throws `exists` if the namespace has this
 * event. An id that was reserved by a process which has not recorded the event is taken over: that process ended in between,
 * or finds that it is late.
 */
export async function reserve({ table }: Pick<Ports, 'table'>, pointer: Put): Promise<boolean> {
  const { pk, sk, eventPk, eventSk, source, ttl } = pointer.item;
  const own = recordIn(pointer.item);
  return retryOnConflict(async (attempt) => {
    const [found] = attempt === 1 ? [] : await table.get([{ table: 'journal', pk, sk }]);
    if (found === undefined) {
      await table.write([{ ...pointer, when: { absent: true } }]);
      return true;
    }
    if (found['source'] !== undefined && found['source'] !== source) return false;
    const reserved = recordIn(found);
    // The client of the database repeats a request whose response was lost.
    if (isSame(reserved, own)) return true;
    await voidRecord({ table }, reserved, ttl);
    const equals = { eventPk: reserved.pk, eventSk: reserved.sk };
    await table.write([putAt({ table: 'journal', pk, sk }, { eventPk, eventSk, source, ttl }, { equals })]);
    return true;
  });
}

/** The pointers from ids to events of a source. */
async function pointersOf(
  { table }: Pick<Ports, 'table'>,
  namespaceId: string,
  ids: readonly string[],
  source: string,
) {
  const first = await getAll(
    table,
    ids.map((id) => keys.eventId(namespaceId, id)),
  );
  const isOther = first.map((pointer) => pointer !== undefined && !isOfSource(pointer, source));
  const others = ids.filter((_, index) => isOther[index]);
  const second = await getAll(
    table,
    others.map((id) => keys.eventId(namespaceId, id, source)),
  );
  return first.map((pointer, index) => (isOther[index] ? second.shift() : pointer));
}

/** Whether the namespace has events of a source with these ids. */
export async function areRecorded(
  { table }: Pick<Ports, 'table'>,
  namespaceId: string,
  ids: readonly string[],
  source: string,
): Promise<boolean[]> {
  const pointers = await pointersOf({ table }, namespaceId, ids, source);
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
