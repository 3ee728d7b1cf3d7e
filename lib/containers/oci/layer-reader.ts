import { createHash } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { TransientError } from '../errors.ts';
import type { Descriptor, Repository } from './registry.ts';

/** The decompression of a layer, by the end of its media type (OCI image specification, "Filesystem Layers"). */
const DECOMPRESSION: readonly (readonly [RegExp, () => NodeJS.ReadWriteStream])[] = [
  [/[.+]gzip$/, createGunzip],
  [/\+zstd$/, createZstdDecompress],
  [/\.tar$/, () => new PassThrough()],
];

/** Receives an entry of an archive. Content that it does not read is discarded. */
export type OnEntry = (header: Header, content: Readable) => Promise<void>;

/**
 * Streams a layer and passes its entries to `onEntry`, one after the other. Returns false for a media type that cannot
 * be decompressed.
 * @throws TransientError when the stream breaks off, or when the layer does not have its digest.
 */
export async function readLayer(
  repository: Repository,
  { digest, mediaType }: Descriptor,
  onEntry: OnEntry,
): Promise<boolean> {
  const decompress = DECOMPRESSION.find(([suffix]) => suffix.test(mediaType))?.[1];
  if (decompress === undefined) return false;
  const stored = await repository.blob(digest);
  const [archive, hash] = [extract(), createHash('sha256')];
  const updateHash = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const readEntries = async () => {
    for await (const entry of archive) {
      await onEntry(entry.header, entry as unknown as Readable);
      entry.resume();
    }
  };
  try {
    await Promise.all([pipeline(stored, updateHash, decompress(), archive), readEntries()]);
  } catch (error) {
    throw new TransientError(`the layer ${digest} broke off: ${(error as Error).message}`, { cause: error });
  }
  if (`sha256:${hash.digest('hex')}` !== digest) throw new TransientError(`the received bytes do not match ${digest}`);
  return true;
}
