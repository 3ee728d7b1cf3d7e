import type { Item, Value } from '../../../ports/table.ts';
import { checkDepth, checkName, checkNumber } from './limits.ts';

/** An item as it is stored in a row, besides its keys. */
export interface StoredItem {
  /** The attributes without the keys, JSON; bytes are base64 text. */
  readonly text: string;
  /** The paths (names and indexes) of the bytes, JSON; null when the item has none. */
  readonly bytes: string | null;
}

type Path = readonly (string | number)[];

/** Converts a value to JSON, and collects the paths of bytes. Throws Error for a value that a table cannot store. */
function toPlain(value: Value, path: Path, found: Path[]): unknown {
  if (typeof value === 'number') checkNumber(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) {
    found.push(path);
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  }
  checkDepth(path.length);
  if (Array.isArray(value)) return value.map((one, index) => toPlain(one, [...path, index], found));
  // Without a prototype, so that __proto__ is an attribute like any other.
  const plain: Record<string, unknown> = Object.create(null);
  for (const [name, one] of Object.entries(value)) {
    checkName(name);
    if (one !== undefined) plain[name] = toPlain(one, [...path, name], found);
  }
  return plain;
}

/** The row of an item or of a part of it. Throws Error for a value that a table cannot store. */
export function toStored(item: Readonly<Record<string, Value | undefined>>): StoredItem {
  const found: Path[] = [];
  const plain: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(item)) {
    const value = item[name];
    if (value === undefined || name === 'pk' || name === 'sk') continue;
    checkName(name);
    plain[name] = typeof value === 'string' ? value : toPlain(value, [name], found);
  }
  return { text: JSON.stringify(plain), bytes: found.length === 0 ? null : JSON.stringify(found) };
}

type Container = Record<string | number, unknown>;

function restoreBytes(item: Container, path: Path): void {
  const place = path.slice(0, -1).reduce((container, step) => container[step] as Container, item);
  const last = path.at(-1) ?? '';
  const bytes = Buffer.from(place[last] as string, 'base64');
  place[last] = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The item of a row. */
export function toItem(pk: string, sk: string, { text, bytes }: StoredItem): Item {
  const item = JSON.parse(text) as Record<string, Value>;
  if (bytes !== null) for (const path of JSON.parse(bytes) as Path[]) restoreBytes(item, path);
  item['pk'] = pk;
  item['sk'] = sk;
  return item as Item;
}
