import type { Blobs } from '../../ports/blobs.ts';
import type { Value } from '../../ports/table.ts';

/**
 * The maximum size of a text or of bytes inside an item; larger ones are blobs. Each write of an item costs one unit a
 * KiB; the write of a blob costs as much as 8 units, and a few tens of milliseconds (docs/decisions/002).
 */
export const INLINE_LIMIT = 16 * 1024;

/** Returns what to store in an item for a text: the text itself or, if it is large, a reference to a blob at `key`. */
export async function storeText(blobs: Blobs, key: string, text: string): Promise<Value> {
  const isSmall = text.length <= INLINE_LIMIT && Buffer.byteLength(text) <= INLINE_LIMIT;
  return isSmall ? text : storeBytes(blobs, key, Buffer.from(text));
}

/** Reads what `storeText` returned. */
export async function readText(blobs: Blobs, stored: Value | undefined): Promise<string> {
  if (typeof stored === 'string') return stored;
  return Buffer.from(await readBytes(blobs, stored)).toString();
}

/** As `storeText`, for bytes. */
export async function storeBytes(blobs: Blobs, key: string, bytes: Uint8Array): Promise<Value> {
  if (bytes.length <= INLINE_LIMIT) return bytes;
  await blobs.put(key, bytes);
  return { blob: key };
}

/** Reads what `storeBytes` returned. Throws Error when the blob is missing, which is a fault of the service. */
export async function readBytes(blobs: Blobs, stored: Value | undefined): Promise<Uint8Array> {
  if (stored instanceof Uint8Array) return stored;
  if (typeof stored === 'string') return Buffer.from(stored);
  const key = blobKeyOf(stored);
  const bytes = key === undefined ? undefined : await blobs.get(key);
  if (bytes === undefined) throw new Error(`the blob ${key ?? '(no key)'} is missing`);
  return bytes;
}

function blobKeyOf(stored: Value | undefined): string | undefined {
  const isReference = typeof stored === 'object' && stored !== null && 'blob' in stored;
  return isReference ? String(stored.blob) : undefined;
}
