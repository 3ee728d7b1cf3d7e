import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Inventory } from '../../ports/inventory.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, TableName, Write } from '../../ports/table.ts';
import { batchesOf, putAt } from '../storage/batches.ts';
import { ignoreConflict, retryOnConflict, throwOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import { FIRST_VERSION, MIGRATIONS } from './index.ts';
import type { Migration } from './migration.ts';

type Reader = Pick<Ports, 'table'>;
type Needs = Reader & { readonly inventory: Inventory; readonly clock: Pick<Clock, 'now'> };

/** The schema version of the tables and, during a migration, the table that is migrated and the cursor of its next page. */
interface Progress {
  readonly version: number;
  readonly table?: TableName;
  readonly next?: string;
}

/** The progress as it is stored; undefined: none is stored. */
type StoredProgress = Progress | undefined;

const lastVersion = (migrations: readonly Migration[]): number => FIRST_VERSION + migrations.length;

async function read({ table }: Reader): Promise<StoredProgress> {
  const [item] = await table.get([keys.SCHEMA_VERSION]);
  if (item === undefined) return undefined;
  const { version, table: name, next } = item;
  return omitUndefined({
    version: Number(version),
    table: name as TableName | undefined,
    next: next === undefined ? undefined : String(next),
  });
}

/** Stores the progress, unless another process has stored some since `from` was read. */
async function store({ table }: Reader, from: StoredProgress, to: Progress): Promise<void> {
  const when = from === undefined ? ({ absent: true } as const) : { equals: { ...from } };
  await ignoreConflict(table.write([putAt(keys.SCHEMA_VERSION, { ...to }, when)]));
}

/** Throws Error for a schema version that is newer than the last migration: such tables must not be changed. */
function needKnown(progress: StoredProgress, migrations: readonly Migration[]): Progress {
  const { version } = progress ?? { version: FIRST_VERSION };
  const last = lastVersion(migrations);
  if (version <= last) return progress ?? { version };
  throw new Error(
    `the tables have schema version ${version}, but this version of Weft supports versions up to ${last}: ` +
      'they were written by a newer version of Weft; start that version, or a later one',
  );
}

/** Returns the schema version of the tables. Throws Error for one that this version of Weft does not support. */
export async function schemaVersionOf(reader: Reader, migrations = MIGRATIONS): Promise<number> {
  return needKnown(await read(reader), migrations).version;
}

/** Stores the current schema version in new tables. */
export async function initialize(reader: Reader, migrations = MIGRATIONS): Promise<void> {
  if ((await read(reader)) === undefined) await store(reader, undefined, { version: lastVersion(migrations) });
}

const isSameKey = (one: Item, other: Item): boolean => one.pk === other.pk && one.sk === other.sk;

/** The writes that replace an item, on the condition that it is as it was read and the new keys are free. */
function replacement(table: TableName, item: Item, made: readonly Item[]): Write[] {
  const { pk, sk, ...rest } = item;
  const equals = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const asRead = { present: true, equals: equals as Record<string, never> } as const;
  const same = made.find((one) => isSameKey(one, item));
  const first: Write =
    same === undefined
      ? { do: 'delete', key: { table, pk, sk }, when: asRead }
      : { do: 'put', table, item: same, when: asRead };
  const others = made.filter((one) => one !== same);
  return [first, ...others.map((one): Write => ({ do: 'put', table, item: one, when: { absent: true } }))];
}

const MAX_ATTEMPTS = 10;

/** Migrates one item. When another process changes it at the same time, that change is kept and migrated. */
async function migrateItem({ table }: Reader, name: TableName, found: Item, migration: Migration): Promise<void> {
  const transform = migration.changes[name] ?? ((item) => [item]);
  const key = { table: name, pk: found.pk, sk: found.sk };
  const attempt = async (number: number): Promise<void> => {
    const [item] = number === 1 ? [found] : await table.get([key]);
    if (item === undefined) return;
    const made = transform(item);
    if (made.length === 1 && made[0] === item) return;
    await table.write(replacement(name, item, made));
  };
  const text = `cannot migrate the item ${key.pk} ${key.sk} of the table ${name}`;
  const reason = 'it changes all the time, or there is an item with its new key already';
  await throwOnConflict(retryOnConflict(attempt, MAX_ATTEMPTS), (cause) => new Error(`${text}: ${reason}`, { cause }));
}

/** The number of items that are migrated at the same time. */
const CONCURRENCY = 16;

/** Migrates a page of items, and returns the progress after it. */
async function migratePage(needs: Needs, migration: Migration, { version, table, next }: Progress): Promise<Progress> {
  const names = Object.keys(migration.changes) as TableName[];
  const name = table ?? names[0];
  if (name === undefined || !names.includes(name)) return { version: version + 1 };
  const page = await needs.inventory.page(name, next);
  for (const batch of batchesOf(page.items, CONCURRENCY)) {
    await Promise.all(batch.map((item) => migrateItem(needs, name, item, migration)));
  }
  if (page.next !== undefined) return { version, table: name, next: page.next };
  const following = names[names.indexOf(name) + 1];
  return following === undefined ? { version: version + 1 } : { version, table: following };
}

/**
 * Migrates the tables to the current schema version, one migration after the other, until `until` (milliseconds since
 * 1970). Returns whether it is complete. It can be interrupted anywhere and run concurrently: each call continues after
 * the last page that was completed. Throws Error as `schemaVersionOf` does, and when an item cannot be migrated.
 */
export async function migrate(needs: Needs, until: number, migrations = MIGRATIONS): Promise<boolean> {
  for (;;) {
    const stored = await read(needs);
    const progress = needKnown(stored, migrations);
    const migration = migrations[progress.version - FIRST_VERSION];
    if (migration === undefined) return true;
    if (needs.clock.now() >= until) return false;
    await store(needs, stored, await migratePage(needs, migration, progress));
  }
}
