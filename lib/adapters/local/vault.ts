import type { Vault } from '../../ports/vault.ts';
import { keptKey } from './key-file.ts';

const FILE = { name: 'api-key', mend: 'delete it and a new one is made' };

export interface LocalVaultOptions {
  /** Where a generated key is kept; without it each process has its own. */
  readonly folder?: string | undefined;
  /** The key to use instead; an empty text is none. */
  readonly apiKey?: string | undefined;
  /** Hears of a key in the moment it is generated, and never again: the time to print it. */
  readonly onNewKey?: (key: string) => void;
}

/**
 * The administrative key: the one given, else the one kept in the folder, else a new one that is kept there, readable
 * by its owner only.
 * @throws Error (adminKey) when the folder cannot be read or written, or its key is empty.
 */
export function localVault({ folder, apiKey, onNewKey }: LocalVaultOptions = {}): Vault {
  let found: Promise<string> | undefined;
  return {
    adminKey() {
      if (apiKey) return Promise.resolve(apiKey);
      found ??= keptKey({ folder, ...FILE }, onNewKey).catch((error: unknown) => {
        found = undefined;
        throw error;
      });
      return found;
    },
  };
}
