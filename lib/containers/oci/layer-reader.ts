import { createHash } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { Passing } from './connection.ts';
import type { Part, Repository } from './registry.ts';

/** How a layer is unzipped, by the end of its media type (OCI image specification, "Filesystem Layers"). */
const UNZIP: readonly (readonly [RegExp, () => NodeJS.ReadWriteStream])[] = [
  [/[.+]gzip$/, createGunzip],
  [/\+zstd$/, createZstdDecompress],
  [/\.tar$/, () => new PassThrough()],
];

/** Is given each entry of an archive; what it does not read of the content is thrown away. */
export type Take = (header: Header, content: Readable) => Promise<void>;

/**
 * Hands over the entries of a layer, one after the other, as they come. False: it is of a kind that cannot be read.
 * Throws Passing when it breaks off, or proves at its end not to be what its digest says.
 */
export async function readLayer(repository: Repository, { digest, mediaType }: Part, take: Take): Promise<boolean> {
  const unzip = UNZIP.find(([sign]) => sign.test(mediaType))?.[1];
  if (unzip === undefined) return false;
  const stored = await repository.blob(digest);
  const [archive, hash] = [extract(), createHash('sha256')];
  const watch = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const takeAll = async () => {
    for await (const entry of archive) {
      await take(entry.header, entry as unknown as Readable);
      entry.resume();
    }
  };
  try {
    await Promise.all([pipeline(stored, watch, unzip(), archive), takeAll()]);
  } catch (error) {
    throw new Passing(`the layer ${digest} broke off: ${(error as Error).message}`, { cause: error });
  }
  if (`sha256:${hash.digest('hex')}` !== digest) throw new Passing(`what came as ${digest} is something else`);
  return true;
}
