import type { Vault } from '../../ports/vault.ts';
import { readOrCreateKey } from './key-file.ts';

/** The file of the data folder with the administrator's key. */
export const LOCAL_KEY_FILE = 'api-key';

const FILE = { name: LOCAL_KEY_FILE, advice: 'delete it and a new one is made' };

/** Where the key of the administrator is. */
export interface LocalVaultOptions {
  /** The folder of a generated key; without it, each process generates one. */
  readonly folder?: string | undefined;
  /** The key to use instead; the empty string counts as undefined. */
  readonly apiKey?: string | undefined;
  /** Called once with a key that was generated, to print it. */
  readonly onNewKey?: (key: string) => void;
}

/**
 * The vault with the administrator's API key: `apiKey`, or the key in the folder, or a new key, which is stored there
 * so that only the owner can read it.
 * @throws Error (from `adminKey`) when the folder cannot be read or written, or its key is empty.
 */
export function localVault({ folder, apiKey, onNewKey }: LocalVaultOptions = {}): Vault {
  let found: Promise<string> | undefined;
  return {
    adminKey() {
      if (apiKey) return Promise.resolve(apiKey);
      found ??= readOrCreateKey({ folder, ...FILE }, onNewKey).catch((error: unknown) => {
        found = undefined;
        throw error;
      });
      return found;
    },
  };
}
