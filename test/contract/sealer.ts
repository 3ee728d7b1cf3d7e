import { expect, test } from 'vitest';
import type { Sealer } from '../../lib/ports/sealer.ts';

const VALUE = Buffer.from('a secret \u00e4 \u{1f511}');
const BINDING = { kind: 'secret', owner: 'one', name: 'TOKEN' };
const KEY = { kind: 'data-key', owner: 'one' };

/** The law of the Sealer port; `open` opens the same installation each time, and `openOther` another one. */
export function sealerContract(open: () => Promise<Sealer>, openOther: () => Promise<Sealer>): void {
  const sealed = async () => {
    const sealer = await open();
    const key = await sealer.newDataKey(KEY);
    return { sealer, key, bytes: await sealer.seal(key, VALUE, BINDING) };
  };

  test('what is sealed opens again, in another process as well, under the key as it was kept', async () => {
    const { key, bytes } = await sealed();
    const kept = { sealed: Uint8Array.from(key.sealed), binding: { owner: 'one', kind: 'data-key' } };
    const opened = await (await open()).open(kept, Uint8Array.from(bytes), { ...BINDING });
    expect(Buffer.from(opened)).toEqual(VALUE);
  });

  test.each([0, 1, 65_536])('%i bytes come back as they were', async (length) => {
    const { sealer, key } = await sealed();
    const value = new Uint8Array(length).fill(7);
    const bytes = await sealer.seal(key, value, BINDING);
    expect(Buffer.from(await sealer.open(key, bytes, BINDING)).equals(value)).toBe(true);
  });

  test('neither key nor value stands in what is kept, and the same value never looks the same', async () => {
    const { sealer, key, bytes } = await sealed();
    const again = await sealer.seal(key, VALUE, BINDING);
    expect(Buffer.from(bytes).includes(VALUE)).toBe(false);
    expect(Buffer.from(bytes).equals(again)).toBe(false);
    expect(Buffer.from(key.sealed).equals((await sealer.newDataKey(KEY)).sealed)).toBe(false);
  });

  test.each([
    ['another name', { ...BINDING, name: 'OTHER' }],
    ['another owner', { ...BINDING, owner: 'two' }],
    ['less', { kind: 'secret', owner: 'one' }],
    ['more', { ...BINDING, more: 'x' }],
    ['nothing', {}],
  ])('it does not open bound to %s', async (_what, binding) => {
    const { sealer, key, bytes } = await sealed();
    await expect(sealer.open(key, bytes, binding as Readonly<Record<string, string>>)).rejects.toThrow();
  });

  test('it does not open under another data key, nor under one of another owner', async () => {
    const { sealer, key, bytes } = await sealed();
    await expect(sealer.open(await sealer.newDataKey(KEY), bytes, BINDING)).rejects.toThrow();
    await expect(sealer.open({ ...key, binding: { ...KEY, owner: 'two' } }, bytes, BINDING)).rejects.toThrow();
  });

  test('it does not open once a bit of it is changed, or a part is missing', async () => {
    const { sealer, key, bytes } = await sealed();
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(sealer.open(key, changed, BINDING), `byte ${at}`).rejects.toThrow();
    }
    await expect(sealer.open(key, bytes.subarray(0, -1), BINDING)).rejects.toThrow();
    await expect(sealer.open(key, new Uint8Array(), BINDING)).rejects.toThrow();
  });

  test('it does not open in another installation', async () => {
    const { key, bytes } = await sealed();
    const other = await openOther();
    await expect(other.open(key, bytes, BINDING)).rejects.toThrow('does not open');
    await expect(other.seal(key, VALUE, BINDING)).rejects.toThrow('does not open');
  });

  test('what goes wrong is told without the value', async () => {
    const { sealer, key, bytes } = await sealed();
    const error = await sealer.open(key, bytes, {}).catch((reason: unknown) => reason);
    expect(`${(error as Error).message} ${(error as Error).stack}`).not.toContain('a secret');
  });
}
