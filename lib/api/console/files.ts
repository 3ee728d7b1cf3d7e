import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of a built console. */
export interface ConsoleFiles {
  /** A file's bytes by its path in the folder, or undefined where there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
  has(path: string): boolean;
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true }).map((path) => String(path).replaceAll('\\', '/'));
  } catch {
    return [];
  }
}

/** Opens a folder. Only files that it has now are read later, so no path leads out of it. A missing folder is empty. */
export function openFiles(folder: string): ConsoleFiles {
  const names = new Set(listed(folder));
  const cache = new Map<string, Promise<Uint8Array>>();
  const read = async (path: string): Promise<Uint8Array | undefined> => {
    if (!names.has(path)) return undefined;
    const bytes = cache.get(path) ?? readFile(join(folder, path));
    cache.set(path, bytes);
    return bytes;
  };
  return { read, has: (path) => names.has(path) };
}
