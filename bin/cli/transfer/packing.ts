import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';

/** An archive that is being written. */
export interface Archive {
  /** Adds a file of which the bytes are at hand. */
  add(name: string, bytes: string | Uint8Array): Promise<void>;
  /** Adds a file of any size, piece by piece, and answers what it was. */
  addStream(name: string, chunks: AsyncIterable<Uint8Array>): Promise<{ readonly size: number; readonly hash: string }>;
  /** Only now the file has its name. */
  end(): Promise<void>;
  /** Leaves nothing behind. */
  drop(): Promise<void>;
}

/** One moment for all entries, so that the same content makes the same archive. */
const MOMENT = new Date(0);

async function addEntry(
  tar: Pack,
  name: string,
  size: number,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
) {
  const entry = tar.entry({ name, size, mtime: MOMENT, mode: 0o644 });
  await pipeline(chunks, entry);
}

/** The size of an entry stands before its bytes, so what comes as a stream is kept in a file first. */
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

/** Begins a `.tar.gz`. Throws what the file system says. */
export async function createArchive(file: string): Promise<Archive> {
  const draft = `${file}.part`;
  const folder = await mkdtemp(join(tmpdir(), 'weft-export-'));
  const tar = pack();
  const target = createWriteStream(draft);
  const written = pipeline(tar, createGzip(), target);
  // A fault is told by the next entry or by `end`; until then nobody waits for it.
  written.catch(() => undefined);
  const guarded = <T>(work: Promise<T>): Promise<T> =>
    Promise.race([work, written.then(() => Promise.reject(new Error(`${draft} ended early`)))]);
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
      await rename(draft, file);
      await rm(folder, { recursive: true, force: true });
    },
    drop: async () => {
      tar.destroy();
      target.destroy();
      await finished(target).catch(() => undefined);
      await Promise.all([draft, folder].map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}
