import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type BoundChild, spawnBound } from './bound-child.ts';
import { lockFolder } from './folder-lock.ts';
import { endOrphan, keepChild } from './orphan.ts';

export interface LocalDatabaseOptions {
  /** Where the data is kept; without it, in memory. One process at a time. */
  readonly folder?: string | undefined;
  /** A database that runs already, instead of the embedded one. */
  readonly endpoint?: string | undefined;
  /** Hears of a database that ended before it was closed, with its last words. */
  readonly onLost?: (reason: string) => void;
}

export interface LocalDatabase {
  readonly endpoint: string;
  /** True for the embedded one, which checks no signatures. */
  readonly isEmbedded: boolean;
  /** Ends the database and lets go of the folder. */
  close(): Promise<void>;
}

/** Ports are asked for and given back before they are used, so another process may snatch one. */
const MOST_TRIES = 5;
const LONGEST_START_MS = 15_000;
const IS_LISTENING = /listening on/i;
const IS_PORT_TAKEN = /in use/i;

/**
 * Starts the embedded database (dynoxide) as a child that ends with this process, however this process ends.
 * @throws Error when the folder is in use, when there is no embedded database for this system, or when it fails to start.
 */
export async function startDatabase(options: LocalDatabaseOptions = {}): Promise<LocalDatabase> {
  const lock = options.folder === undefined ? undefined : lockFolder(options.folder);
  const release = () => lock?.release();
  try {
    if (options.endpoint) return { endpoint: options.endpoint, isEmbedded: false, close: async () => release() };
    const { endpoint, child } = await startEmbedded(options.folder);
    const close = endWith(child, options.onLost);
    return { endpoint, isEmbedded: true, close: () => close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function startEmbedded(folder: string | undefined): Promise<{ endpoint: string; child: BoundChild }> {
  const binary = findBinary();
  const file = folder === undefined ? undefined : join(realpathSync(folder), 'database');
  if (folder !== undefined && file !== undefined) await endOrphan(folder, file);
  for (let tries = 1; ; tries++) {
    const port = await findPort();
    const place = file === undefined ? [] : ['--db-path', file];
    const child = spawnBound(binary, ['serve', '--host', '127.0.0.1', '--port', String(port), ...place]);
    if (folder !== undefined && child.pid !== undefined) keepChild(folder, child.pid);
    if (await child.says(IS_LISTENING, LONGEST_START_MS)) return { endpoint: `http://127.0.0.1:${port}`, child };
    await child.end();
    if (tries < MOST_TRIES && IS_PORT_TAKEN.test(child.lastWords())) continue;
    throw new Error(`the embedded database did not start: ${child.lastWords() || 'it said nothing'}`);
  }
}

/** Ends the child once, and tells of an end that came by itself. */
function endWith(child: BoundChild, onLost: LocalDatabaseOptions['onLost']): () => Promise<void> {
  let isClosing = false;
  child.ended.then(() => {
    if (!isClosing) onLost?.(`the embedded database ended by itself: ${child.lastWords() || 'it said nothing'}`);
  });
  return () => {
    isClosing = true;
    return child.end();
  };
}

/**
 * The package that ships the binary for this system.
 * @throws Error that says what else to do where there is none.
 */
function findBinary(): string {
  const system = `${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${system}/dynoxide`);
  } catch (cause) {
    throw new Error(
      `there is no embedded database for ${system}; run any DynamoDB-compatible one (Amazon offers DynamoDB Local) ` +
        'and set DYNAMODB_ENDPOINT to its address, such as http://127.0.0.1:8000',
      { cause },
    );
  }
}

function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
