import { join } from 'node:path';
import type { Sealer } from '../../ports/sealer.ts';
import { envelopeSealer, rawRootKey, toRootKey } from '../portable/sealer.ts';
import { keptKey } from './key-file.ts';

const FILE = { name: 'root-key', mend: 'put back the one that the secrets were sealed under' };

export interface LocalSealerOptions {
  /** Where the root key is kept, readable by its owner only; without it, it is gone with the process. */
  readonly folder?: string | undefined;
}

/**
 * The same envelopes as on AWS, under a root key in a file, which is made when it is first needed.
 * @throws Error (all) when the folder cannot be read or written, or the file holds no root key.
 */
export function localSealer({ folder }: LocalSealerOptions = {}): Sealer {
  const place = folder === undefined ? 'the root key' : `the file ${join(folder, FILE.name)}`;
  return envelopeSealer(rawRootKey(async () => toRootKey(await keptKey({ folder, ...FILE }), place)));
}
