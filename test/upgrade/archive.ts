/**
 * `node test/upgrade/archive.ts <folder> <archive>` packs the data folder that record.ts left. Run it when no process
 * uses the folder.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** SQLite creates these files again. */
const LEFT_OUT = ['weft.db-shm', 'lock-journal'];
/** The write-ahead log contains many repetitions at large distances. */
const SIGHT = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
const MAX_BUFFER_BYTES = 64 * 1024 * 1024;

export function unpack(archive: string, folder: string): void {
  execFileSync('tar', ['x', '-C', folder], { input: brotliDecompressSync(readFileSync(archive)) });
}

if (import.meta.main) {
  const [folder = '', archive = ''] = process.argv.slice(2);
  const tar = ['c', ...LEFT_OUT.map((name) => `--exclude=${name}`), '-C', folder, '.'];
  const bytes = execFileSync('tar', tar, { maxBuffer: MAX_BUFFER_BYTES });
  writeFileSync(archive, brotliCompressSync(bytes, { params: SIGHT }));
}
