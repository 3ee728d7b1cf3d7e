import type { Blobs } from '../../ports/blobs.ts';
import type { Item, Value } from '../../ports/table.ts';
import { sha256 } from './ids.ts';

/**
 * The maximum size of a text or of bytes inside an item; larger ones are blobs. Each write of an item costs one unit a
 * KiB; the write of a blob costs as much as 8 units, and a few tens of milliseconds (docs/decisions/002).
 */
export const INLINE_LIMIT = 16 * 1024;

/** The blob that an item refers to was removed: the item was read before it was replaced, or it is damaged. */
export class MissingBlobError extends Error {
  override readonly name = 'MissingBlobError';
}

const HASH_LENGTH = 16;

/** The key of a blob, or the beginning of it if the content is to distinguish blobs of concurrent commits. */
export type BlobKey = string | { readonly beginning: string };

const keyFor = (key: BlobKey, bytes: Uint8Array): string =>
  typeof key === 'string' ? key : `${key.beginning}-${sha256(bytes).slice(0, HASH_LENGTH)}`;

/** Returns the value to store in an item for a text: the text or, if it is large, a reference to a blob at `key`. */
export async function storeText(blobs: Blobs, key: BlobKey, text: string): Promise<Value> {
  const isSmall = text.length <= INLINE_LIMIT && Buffer.byteLength(text) <= INLINE_LIMIT;
  return isSmall ? text : storeBytes(blobs, key, Buffer.from(text));
}

/** Reads a value of `storeText`. */
export async function readText(blobs: Blobs, stored: Value | undefined): Promise<string> {
  if (typeof stored === 'string') return stored;
  const { buffer, byteOffset, length } = await readBytes(blobs, stored);
  return Buffer.from(buffer, byteOffset, length).toString();
}

/** As `storeText`, for bytes. */
export async function storeBytes(blobs: Blobs, key: BlobKey, bytes: Uint8Array): Promise<Value> {
  if (bytes.length <= INLINE_LIMIT) return bytes;
  const blob = keyFor(key, bytes);
  await blobs.put(blob, bytes);
  return { blob };
}

/** Reads a value of `storeBytes`. Throws MissingBlobError. */
export async function readBytes(blobs: Blobs, stored: Value | undefined): Promise<Uint8Array> {
  if (stored instanceof Uint8Array) return stored;
  if (typeof stored === 'string') return Buffer.from(stored);
  const key = blobKeyOf(stored);
  const bytes = key === undefined ? undefined : await blobs.get(key);
  if (bytes === undefined) throw new MissingBlobError(`the blob ${key ?? '(no key)'} is missing`);
  return bytes;
}

/** The keys of the blobs that values of an item refer to. */
export const blobsIn = (values: Readonly<Record<string, Value | undefined>>): string[] =>
  Object.values(values).flatMap((value) => blobKeyOf(value) ?? []);

const MAX_ATTEMPTS = 5;

/**
 * Reads an item and the blobs that it refers to. An item that was replaced between the two, so that its blobs were
 * removed, is read again. Throws MissingBlobError for an item that stays and whose blob is missing.
 */
export async function readCurrent<T>(
  readItem: () => Promise<Item | undefined>,
  readBlobs: (item: Item) => Promise<T>,
): Promise<T | undefined> {
  let before = '';
  for (let attempt = 1; ; attempt += 1) {
    const item = await readItem();
    if (item === undefined) return undefined;
    try {
      return await readBlobs(item);
    } catch (error) {
      const blobs = blobsIn(item).join('\n');
      if (!(error instanceof MissingBlobError) || blobs === before || attempt === MAX_ATTEMPTS) throw error;
      before = blobs;
    }
  }
}

function blobKeyOf(stored: Value | undefined): string | undefined {
  const isReference = typeof stored === 'object' && stored !== null && 'blob' in stored;
  return isReference ? String(stored.blob) : undefined;
}
