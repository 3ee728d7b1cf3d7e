import { join } from 'node:path';
import type { Sealer } from '../../ports/sealer.ts';
import { readOrCreateKey } from './key-file.ts';

const FILE = { name: 'root-key', advice: 'put back the one that the secrets were sealed under' };

/** Where the root key is. */
export interface LocalSealerOptions {
  /** The folder of its file, which only the owner can read. Without it, the key is lost with the process. */
  readonly folder?: string | undefined;
}

async function openSealer({ folder }: LocalSealerOptions): Promise<Sealer> {
  // The library of encryption is large: it is loaded by the first secret, not by each start.
  const { envelopeSealer, rawRootKey, toRootKey } = await import('../portable/sealer.ts');
  const place = folder === undefined ? 'the root key' : `the file ${join(folder, FILE.name)}`;
  return envelopeSealer(rawRootKey(async () => toRootKey(await readOrCreateKey({ folder, ...FILE }), place)));
}

/**
 * Envelope encryption as on AWS, with a root key in a file. The file is created at the first use.
 * @throws Error (from every method) when the folder cannot be read or written, or the file holds no root key.
 */
export function localSealer(options: LocalSealerOptions = {}): Sealer {
  let opened: Promise<Sealer> | undefined;
  const open = (): Promise<Sealer> => {
    opened ??= openSealer(options);
    return opened;
  };
  return {
    newDataKey: async (binding) => (await open()).newDataKey(binding),
    seal: async (key, bytes, binding) => (await open()).seal(key, bytes, binding),
    open: async (key, sealed, binding) => (await open()).open(key, sealed, binding),
  };
}
