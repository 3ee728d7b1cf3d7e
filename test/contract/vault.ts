import { expect, test } from 'vitest';
import type { Vault } from '../../lib/ports/vault.ts';

/** The law of the Vault port; `open` opens the same installation each time. */
export function vaultContract(open: () => Promise<Vault>): void {
  test('the key of an installation is one and the same, however often and by whomever it is read', async () => {
    const vault = await open();
    const keys = await Promise.all([vault.adminKey(), vault.adminKey(), (await open()).adminKey()]);
    expect(new Set(keys).size).toBe(1);
  });

  test('the key can stand in a header', async () => {
    expect(await (await open()).adminKey()).toMatch(/^[\x21-\x7e]+$/);
  });
}
