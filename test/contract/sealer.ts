import { expect, test } from 'vitest';
import type { Sealer } from '../../lib/ports/sealer.ts';

const VALUE = Buffer.from('a secret \u00e4 \u{1f511}');
const BINDING = { kind: 'secret', owner: 'one', name: 'TOKEN' };
const KEY = { kind: 'data-key', owner: 'one' };

/** The contract of the port `Sealer`. `open` always opens the same installation, `openOther` another one. */
export function sealerContract(open: () => Promise<Sealer>, openOther: () => Promise<Sealer>): void {
  const sealed = async () => {
    const sealer = await open();
    const key = await sealer.newDataKey(KEY);
    return { sealer, key, bytes: await sealer.seal(key, VALUE, BINDING) };
  };

  test('sealed bytes open in another process with the stored data key', async () => {
    const { key, bytes } = await sealed();
    const kept = { sealed: Uint8Array.from(key.sealed), binding: { owner: 'one', kind: 'data-key' } };
    const opened = await (await open()).open(kept, Uint8Array.from(bytes), { ...BINDING });
    expect(Buffer.from(opened)).toEqual(VALUE);
  });

  test.each([0, 1, 65_536])('%i bytes are unchanged after sealing and opening', async (length) => {
    const { sealer, key } = await sealed();
    const value = new Uint8Array(length).fill(7);
    const bytes = await sealer.seal(key, value, BINDING);
    expect(Buffer.from(await sealer.open(key, bytes, BINDING)).equals(value)).toBe(true);
  });

  test('sealed bytes contain neither key nor value, and differ for equal values', async () => {
    const { sealer, key, bytes } = await sealed();
    const again = await sealer.seal(key, VALUE, BINDING);
    expect(Buffer.from(bytes).includes(VALUE)).toBe(false);
    expect(Buffer.from(bytes).equals(again)).toBe(false);
    expect(Buffer.from(key.sealed).equals((await sealer.newDataKey(KEY)).sealed)).toBe(false);
  });

  test.each([
    ['another name in the binding', { ...BINDING, name: 'OTHER' }],
    ['another owner in the binding', { ...BINDING, owner: 'two' }],
    ['less in the binding', { kind: 'secret', owner: 'one' }],
    ['more in the binding', { ...BINDING, more: 'x' }],
    ['an empty binding', {}],
  ])('sealed bytes do not open with %s', async (_what, binding) => {
    const { sealer, key, bytes } = await sealed();
    await expect(sealer.open(key, bytes, binding as Readonly<Record<string, string>>)).rejects.toThrow();
  });

  test('sealed bytes do not open with another data key, nor with that of another owner', async () => {
    const { sealer, key, bytes } = await sealed();
    await expect(sealer.open(await sealer.newDataKey(KEY), bytes, BINDING)).rejects.toThrow();
    await expect(sealer.open({ ...key, binding: { ...KEY, owner: 'two' } }, bytes, BINDING)).rejects.toThrow();
  });

  test('sealed bytes do not open when a bit is changed or a part is missing', async () => {
    const { sealer, key, bytes } = await sealed();
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(sealer.open(key, changed, BINDING), `byte ${at}`).rejects.toThrow();
    }
    await expect(sealer.open(key, bytes.subarray(0, -1), BINDING)).rejects.toThrow();
    await expect(sealer.open(key, new Uint8Array(), BINDING)).rejects.toThrow();
  });

  test('sealed bytes do not open in another installation', async () => {
    const { key, bytes } = await sealed();
    const other = await openOther();
    await expect(other.open(key, bytes, BINDING)).rejects.toThrow('does not open');
    await expect(other.seal(key, VALUE, BINDING)).rejects.toThrow('does not open');
  });

  test('an error does not contain the value', async () => {
    const { sealer, key, bytes } = await sealed();
    const error = await sealer.open(key, bytes, {}).catch((reason: unknown) => reason);
    expect(`${(error as Error).message} ${(error as Error).stack}`).not.toContain('a secret');
  });
}
