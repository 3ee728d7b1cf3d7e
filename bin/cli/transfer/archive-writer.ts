import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';

/** Writes an archive. */
export interface ArchiveWriter {
  /** Adds a file. */
  add(name: string, bytes: string | Uint8Array): Promise<void>;
  /** Adds a file of any size as a stream, and returns its size and its SHA-256. */
  addStream(name: string, chunks: AsyncIterable<Uint8Array>): Promise<{ readonly size: number; readonly hash: string }>;
  /** Completes the archive, which gets its name only now. */
  end(): Promise<void>;
  /** Removes the incomplete archive. */
  discard(): Promise<void>;
}

/** The time of all entries, so that the same content makes the same archive. */
const MODIFIED = new Date(0);

async function addEntry(
  tar: Pack,
  name: string,
  size: number,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
) {
  const entry = tar.entry({ name, size, mtime: MODIFIED, mode: 0o644 });
  await pipeline(chunks, entry);
}

/** Writes a stream to a file: the size of an entry must be known before its bytes. */
async function spool(chunks: AsyncIterable<Uint8Array>, file: string): Promise<{ size: number; hash: string }> {
  const hash = createHash('sha256');
  let size = 0;
  async function* measured() {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  await pipeline(measured(), createWriteStream(file));
  return { size, hash: hash.digest('hex') };
}

/** Opens a new `.tar.gz` file. Throws errors of the file system. */
export async function openArchiveWriter(file: string): Promise<ArchiveWriter> {
  const incomplete = `${file}.part`;
  const folder = await mkdtemp(join(tmpdir(), 'weft-export-'));
  const tar = pack();
  const target = createWriteStream(incomplete);
  const written = pipeline(tar, createGzip(), target);
  // The next entry or `end` throws the error; until then it must not be an unhandled rejection.
  written.catch(() => undefined);
  const guarded = <T>(work: Promise<T>): Promise<T> =>
    Promise.race([work, written.then(() => Promise.reject(new Error(`${incomplete} ended early`)))]);
  return {
    add: (name, bytes) => {
      const buffer = Buffer.from(bytes as Uint8Array);
      return guarded(addEntry(tar, name, buffer.length, [buffer]));
    },
    addStream: async (name, chunks) => {
      const value = join(folder, 'value');
      const measured = await guarded(spool(chunks, value));
      await guarded(addEntry(tar, name, measured.size, createReadStream(value)));
      return measured;
    },
    end: async () => {
      tar.finalize();
      await written;
      await rename(incomplete, file);
      await rm(folder, { recursive: true, force: true });
    },
    discard: async () => {
      tar.destroy();
      target.destroy();
      await finished(target).catch(() => undefined);
      await Promise.all([incomplete, folder].map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}
