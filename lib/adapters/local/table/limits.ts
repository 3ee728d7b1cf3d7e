/** The limits of DynamoDB (Amazon DynamoDB Developer Guide, Constraints): calls that pass locally pass on AWS too. */
import type { Item, TableName, Value } from '../../../ports/table.ts';
import { keyNames, keysOf, tableSchemas } from '../../portable/schema.ts';

/** The maximum number of keys of a read, and of writes of a transaction. */
export const MAX_BATCH = 100;
/** The maximum bytes of an item, of all items that a transaction writes, and of a page before projection. */
export const MAX_ITEM_BYTES = 400 * 1024;
export const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;
export const MAX_PAGE_BYTES = 1024 * 1024;
/** The maximum number of attributes that a condition compares: an expression has at most 300 operators. */
export const MAX_COMPARED = 300;
const MAX_HASH_BYTES = 2048;
const MAX_RANGE_BYTES = 1024;
const MAX_NAME_BYTES = 65_535;
const DEEPEST = 31;
const MAX_NUMBER = 1e126;
const MIN_NUMBER = 1e-130;

/** Checks a key attribute. Throws Error when it is empty or too long. */
export function checkKey(name: string, value: string, kind: 'hash' | 'range'): void {
  if (value === '') throw new Error(`the key attribute ${name} is empty`);
  const largest = kind === 'hash' ? MAX_HASH_BYTES : MAX_RANGE_BYTES;
  // A character has at most three bytes for each of its UTF-16 units.
  if (value.length * 3 > largest && Buffer.byteLength(value) > largest) {
    throw new Error(`the key attribute ${name} is above ${largest} bytes: ${value.slice(0, 80)}…`);
  }
}

/** Checks the two keys of an item. Throws Error as `checkKey` does. */
export function checkKeys({ pk, sk }: { readonly pk: string; readonly sk: string }): void {
  checkKey(keyNames.partition, pk, 'hash');
  checkKey(keyNames.sort, sk, 'range');
}

interface IndexKey {
  readonly index: string;
  readonly name: string;
  readonly kind: 'hash' | 'range';
}

function indexKeysOf(table: TableName): IndexKey[] {
  return Object.keys(tableSchemas[table].indexes).flatMap((index) => {
    const { hash, range } = keysOf(table, index);
    return [{ index, name: hash, kind: 'hash' } as const, { index, name: range, kind: 'range' } as const];
  });
}

const INDEX_KEYS: Readonly<Record<TableName, readonly IndexKey[]>> = {
  catalog: indexKeysOf('catalog'),
  runs: indexKeysOf('runs'),
  journal: indexKeysOf('journal'),
};

/** Checks the key attributes of indexes in an item. Throws Error when one is not a string, is empty or too long. */
export function checkIndexKeys(table: TableName, item: Item): void {
  for (const { index, name, kind } of INDEX_KEYS[table]) {
    const value = item[name];
    if (value === undefined) continue;
    if (typeof value !== 'string') throw new Error(`${name} is a key of the index ${index}, so it must be a string`);
    checkKey(name, value, kind);
  }
}

/** Throws Error for a number that DynamoDB cannot store. */
export function checkNumber(value: number): void {
  const size = Math.abs(value);
  if (Number.isFinite(value) && size < MAX_NUMBER && (size >= MIN_NUMBER || size === 0)) return;
  throw new Error(`a table cannot hold the number ${value}`);
}

/** Throws Error for an invalid attribute name. */
export function checkName(name: string): void {
  if (name === '') throw new Error('an attribute has an empty name');
  if (name.length * 3 > MAX_NAME_BYTES && Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new Error(`the name of an attribute is above ${MAX_NAME_BYTES} bytes: ${name.slice(0, 80)}…`);
  }
}

/** Throws Error for a list or map that is nested in 31 others. */
export function checkDepth(depth: number): void {
  if (depth > DEEPEST) throw new Error(`an attribute is nested deeper than ${DEEPEST} levels`);
}

/** Significant digits, two a byte, each pair at an even power of ten; a byte for the exponent, one for a minus. */
function numberSize(value: number): number {
  if (value === 0) return 1;
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(value)) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const exponent = Number(power) - fraction.length + digits.length - significant.length;
  return Math.ceil((significant.length + Math.abs(exponent % 2)) / 2) + 1 + sign.length;
}

function valueSize(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberSize(value);
  if (typeof value === 'boolean' || value === null) return 1;
  if (value instanceof Uint8Array) return value.length;
  // A list or map has three bytes, and one more for each element.
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + 1 + valueSize(one), 3);
  return attributesSize(value) + Object.keys(value).length + 3;
}

function attributesSize(attributes: Readonly<Record<string, Value | undefined>>): number {
  let size = 0;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) size += Buffer.byteLength(name) + valueSize(value);
  }
  return size;
}

/** The bytes of an item as DynamoDB counts them (Developer Guide, item sizes and formats). */
export const itemSize = (item: Item): number => attributesSize(item);
