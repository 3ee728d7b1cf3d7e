import type { Item, Value, Write } from '../../../ports/table.ts';
import { keyNames } from '../../portable/schema.ts';

export type Update = Extract<Write, { do: 'update' }>;

const KEYS: readonly string[] = [keyNames.partition, keyNames.sort];

const setOf = ({ set = {} }: Update) => Object.entries(set).filter(([, value]) => value !== undefined);

/** Throws Error for an update that changes nothing, changes a key, or names an attribute twice. */
export function checkUpdate(update: Update): void {
  const { key, remove = [], add = {} } = update;
  const names = [...setOf(update).map(([name]) => name), ...remove, ...Object.keys(add)];
  if (names.length === 0) throw new Error(`an update of ${key.pk} ${key.sk} changes nothing`);
  if (new Set(names).size < names.length) throw new Error(`an update of ${key.pk} ${key.sk} names an attribute twice`);
  const fixed = names.find((name) => KEYS.includes(name));
  if (fixed !== undefined) throw new Error(`an update of ${key.pk} ${key.sk} changes its key ${fixed}`);
}

/** The number of decimal places in the shortest decimal text of a number. */
function decimalsOf(value: number): number {
  const [, fraction = '', power = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(value)) ?? [];
  return Math.max(0, fraction.length - Number(power));
}

const MAX_DECIMALS = 40;

/** The sum in decimal, as DynamoDB computes it: 0.1 + 0.2 is 0.3. */
export function decimalSum(a: number, b: number): number {
  const sum = a + b;
  if (Number.isSafeInteger(sum) && Number.isSafeInteger(a) && Number.isSafeInteger(b)) return sum;
  const decimals = Math.max(decimalsOf(a), decimalsOf(b));
  if (decimals > MAX_DECIMALS) return sum;
  const scaled = (value: number): bigint => {
    const [mantissa = '0', power = '0'] = value.toString().split('e');
    const [whole = '0', fraction = ''] = mantissa.split('.');
    const zeros = decimals + Number(power) - fraction.length;
    return BigInt(whole + fraction) * 10n ** BigInt(zeros);
  };
  return Number(`${scaled(a) + scaled(b)}e-${decimals}`);
}

function added(old: Item | undefined, name: string, by: number): number {
  const before = old !== undefined && Object.hasOwn(old, name) ? old[name] : 0;
  if (typeof before === 'number') return decimalSum(before, by);
  throw new Error(`${by} cannot be added to the attribute ${name}: it is not a number`);
}

/** The item after an update; `old` is undefined for a new item. Throws Error when it adds to an attribute of another type. */
export function updated(old: Item | undefined, update: Update): Item {
  const { key, remove = [], add = {} } = update;
  const item = Object.assign(Object.create(null), old) as Record<string, Value | undefined>;
  for (const name of remove) delete item[name];
  for (const [name, value] of setOf(update)) item[name] = value;
  for (const [name, by] of Object.entries(add)) item[name] = added(old, name, by);
  item['pk'] = key.pk;
  item['sk'] = key.sk;
  return item as Item;
}
