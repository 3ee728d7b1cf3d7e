import { expect, test } from 'vitest';
import type { Vault } from '../../lib/ports/vault.ts';

/** The contract of the port `Vault`. `open` always opens the same installation. */
export function vaultContract(open: () => Promise<Vault>): void {
  test('every read returns the same key, also in another process', async () => {
    const vault = await open();
    const keys = await Promise.all([vault.adminKey(), vault.adminKey(), (await open()).adminKey()]);
    expect(new Set(keys).size).toBe(1);
  });

  test('the key is valid in a header', async () => {
    expect(await (await open()).adminKey()).toMatch(/^[\x21-\x7e]+$/);
  });
}
