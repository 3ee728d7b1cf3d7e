import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from './command.ts';
import { readInput, type Terminal } from './terminal.ts';

/** The bytes of a file that the user named; `-` is the standard input. Throws UsageError for an unreadable file. */
export async function readBytes(terminal: Terminal, file: string): Promise<Buffer<ArrayBuffer>> {
  if (file === '-') return readInput(terminal);
  try {
    return await readFile(resolve(terminal.cwd, file));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
