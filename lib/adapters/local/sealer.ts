import { join } from 'node:path';
import type { Sealer } from '../../ports/sealer.ts';
import { envelopeSealer, rawRootKey, toRootKey } from '../portable/sealer.ts';
import { readOrCreateKey } from './key-file.ts';

const FILE = { name: 'root-key', advice: 'put back the one that the secrets were sealed under' };

/** Where the root key is. */
export interface LocalSealerOptions {
  /** The folder of its file, which only the owner can read. Without it, the key is lost with the process. */
  readonly folder?: string | undefined;
}

/**
 * Envelope encryption as on AWS, with a root key in a file. The file is created at the first use.
 * @throws Error (from every method) when the folder cannot be read or written, or the file holds no root key.
 */
export function localSealer({ folder }: LocalSealerOptions = {}): Sealer {
  const place = folder === undefined ? 'the root key' : `the file ${join(folder, FILE.name)}`;
  return envelopeSealer(rawRootKey(async () => toRootKey(await readOrCreateKey({ folder, ...FILE }), place)));
}
