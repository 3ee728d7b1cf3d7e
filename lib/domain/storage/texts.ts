import type { Blobs } from '../../ports/blobs.ts';
import type { Value } from '../../ports/table.ts';

/**
 * The one limit of what is kept in an item, in bytes; more goes to the blobs. An item's write costs a unit a KiB each
 * time it changes, a blob's write as much as 8 units and a few tens of milliseconds: see docs/decisions.
 */
export const INLINE_LIMIT = 16 * 1024;

/** Keeps the text inline, or as a blob under the key when it is large. The result goes into an item. */
export async function storeText(blobs: Blobs, key: string, text: string): Promise<Value> {
  const isSmall = text.length <= INLINE_LIMIT && Buffer.byteLength(text) <= INLINE_LIMIT;
  return isSmall ? text : storeBytes(blobs, key, Buffer.from(text));
}

/** Reads what storeText made. */
export async function readText(blobs: Blobs, stored: Value | undefined): Promise<string> {
  if (typeof stored === 'string') return stored;
  return Buffer.from(await readBytes(blobs, stored)).toString();
}

/** Keeps bytes inline, or as a blob under the key when there are many. */
export async function storeBytes(blobs: Blobs, key: string, bytes: Uint8Array): Promise<Value> {
  if (bytes.length <= INLINE_LIMIT) return bytes;
  await blobs.put(key, bytes);
  return { blob: key };
}

/** Reads what storeBytes made. Throws when the blob is gone: that is a fault of ours, never a caller's. */
export async function readBytes(blobs: Blobs, stored: Value | undefined): Promise<Uint8Array> {
  if (stored instanceof Uint8Array) return stored;
  if (typeof stored === 'string') return Buffer.from(stored);
  const key = blobKeyOf(stored);
  const bytes = key === undefined ? undefined : await blobs.get(key);
  if (bytes === undefined) throw new Error(`the blob ${key ?? '(none named)'} is missing`);
  return bytes;
}

function blobKeyOf(stored: Value | undefined): string | undefined {
  const isReference = typeof stored === 'object' && stored !== null && 'blob' in stored;
  return isReference ? String(stored.blob) : undefined;
}
