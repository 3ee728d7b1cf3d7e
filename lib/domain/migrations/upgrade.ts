import type { Clock } from '../../ports/clock.ts';
import type { Inventory } from '../../ports/inventory.ts';
import { ConflictError, type Item, type Table, type TableName, type Write } from '../../ports/table.ts';
import * as keys from '../storage/keys.ts';
import { FIRST, STEPS } from './index.ts';
import type { Change, Step } from './migration.ts';

type Reader = { readonly table: Table };
type Needs = Reader & { readonly inventory: Inventory; readonly clock: Pick<Clock, 'now'> };

/** How far the tables have come. */
interface Mark {
  readonly layout: number;
  /** On the way to the next one: the table whose items are being changed, and the page to go on with. */
  readonly table?: TableName;
  readonly next?: string;
  /** Nobody has said anything yet. */
  readonly isSilent: boolean;
}

const lastOf = (steps: readonly Step[]): number => FIRST + steps.length;

async function read({ table }: Reader): Promise<Mark> {
  const [item] = await table.get([keys.LAYOUT]);
  if (item === undefined) return { layout: FIRST, isSilent: true };
  const { layout, table: name, next } = item;
  return {
    layout: Number(layout),
    ...(name === undefined ? {} : { table: name as TableName }),
    ...(next === undefined ? {} : { next: String(next) }),
    isSilent: false,
  };
}

const valuesOf = ({ layout, table, next }: Mark) => ({
  layout,
  ...(table === undefined ? {} : { table }),
  ...(next === undefined ? {} : { next }),
});

/** False when somebody else has moved it meanwhile. */
async function move({ table }: Reader, from: Mark, to: Omit<Mark, 'isSilent'>): Promise<boolean> {
  const { table: _, ...place } = keys.LAYOUT;
  const item = { ...place, ...valuesOf({ ...to, isSilent: false }) };
  const when = from.isSilent ? ({ absent: true } as const) : { equals: valuesOf(from) };
  try {
    await table.write([{ do: 'put', table: 'catalog', item, when }]);
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}

function needKnown({ layout }: Mark, steps: readonly Step[]): void {
  if (layout <= lastOf(steps)) return;
  throw new Error(
    `the data were written by a newer version of Weft: they have layout ${layout}, and this version knows layouts up to ` +
      `${lastOf(steps)}; use that version, or a newer one`,
  );
}

/**
 * The layout of the tables.
 * @throws Error for one that is newer than the last step leads to: nothing of it may be touched.
 */
export async function layoutOf(reader: Reader, steps = STEPS): Promise<number> {
  const mark = await read(reader);
  needKnown(mark, steps);
  return mark.layout;
}

/** Notes that tables which were just made have the present layout. */
export async function begin(reader: Reader, steps = STEPS): Promise<void> {
  const mark = await read(reader);
  if (mark.isSilent) await move(reader, mark, { layout: lastOf(steps) });
}

const isSame = (one: Item, other: Item): boolean => one.pk === other.pk && one.sk === other.sk;

function writesOf(table: TableName, item: Item, made: readonly Item[]): Write[] {
  const { pk, sk } = item;
  const known = Object.entries(item).filter(([name, value]) => name !== 'pk' && name !== 'sk' && value !== undefined);
  const asRead = { present: true, equals: Object.fromEntries(known) as Record<string, never> } as const;
  const stays = made.find((one) => isSame(one, item));
  const first: Write =
    stays === undefined
      ? { do: 'delete', key: { table, pk, sk }, when: asRead }
      : { do: 'put', table, item: stays, when: asRead };
  const others = made.filter((one) => one !== stays);
  return [first, ...others.map((one): Write => ({ do: 'put', table, item: one, when: { absent: true } }))];
}

const MOST_TRIES = 10;

/** Whoever writes the item meanwhile is not undone: it is then changed as he left it. */
async function changeOne({ table }: Reader, name: TableName, found: Item, change: Change): Promise<void> {
  let item: Item | undefined = found;
  for (let tries = 1; item !== undefined; tries += 1) {
    const made = change(item);
    if (made.length === 1 && made[0] === item) return;
    try {
      await table.write(writesOf(name, item, made));
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const place = `${item.pk} ${item.sk} of the table ${name}`;
      if (tries === MOST_TRIES)
        throw new Error(`${place} cannot be changed: it changes all the time, or its new place is taken`, {
          cause: error,
        });
      [item] = await table.get([{ table: name, pk: item.pk, sk: item.sk }]);
    }
  }
}

/** So many items are changed side by side. */
const ABREAST = 16;

/** Changes a page of items; answers where to go on. */
async function changePage(needs: Needs, step: Step, mark: Mark): Promise<Omit<Mark, 'isSilent'>> {
  const { layout } = mark;
  const names = Object.keys(step.changes) as TableName[];
  const name = mark.table ?? names[0];
  const change = name && step.changes[name];
  if (name === undefined || change === undefined) return { layout: layout + 1 };
  const page = await needs.inventory.page(name, mark.next);
  for (let from = 0; from < page.items.length; from += ABREAST) {
    const some = page.items.slice(from, from + ABREAST);
    await Promise.all(some.map((item) => changeOne(needs, name, item, change)));
  }
  if (page.next !== undefined) return { layout, table: name, next: page.next };
  const further = names[names.indexOf(name) + 1];
  return further === undefined ? { layout: layout + 1 } : { layout, table: further };
}

/**
 * Leads the tables to the present layout, step by step, until it is there or `until` has come (milliseconds since 1970);
 * answers whether it is there. It may be cut short anywhere and done by several at once: whoever comes next goes on
 * where the last page was done.
 * @throws Error as `layoutOf` does, and when an item cannot be changed.
 */
export async function lead(needs: Needs, until: number, steps = STEPS): Promise<boolean> {
  for (;;) {
    const mark = await read(needs);
    needKnown(mark, steps);
    const step = steps[mark.layout - FIRST];
    if (step === undefined) return true;
    if (needs.clock.now() >= until) return false;
    await move(needs, mark, await changePage(needs, step, mark));
  }
}
