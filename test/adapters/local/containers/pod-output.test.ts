import { describe, expect, test } from 'vitest';
import { PodOutput } from '../../../../lib/adapters/local/containers/pod-output.ts';

describe('the output of a pod', () => {
  test('is read from a position, in whole characters', () => {
    const output = new PodOutput();
    const bytes = Buffer.from('Grüße €🙂');
    const texts: string[] = [];
    let from = 0;
    for (const byte of bytes) {
      output.add(Buffer.of(byte));
      const { text, end } = output.read(from);
      texts.push(text);
      from = end;
    }
    expect(texts.filter((text) => text !== '')).toEqual([...'Grüße €🙂']);
    expect(from).toBe(bytes.length);
  });

  test('keeps the newest mebibyte', () => {
    const output = new PodOutput();
    for (let index = 0; index < 40; index += 1) output.add(Buffer.alloc(100_000, index % 2 ? 'b' : 'a'));
    const { text, end } = output.read(0);
    expect(end).toBe(4_000_000);
    expect(text.length).toBeGreaterThanOrEqual(1024 * 1024);
    expect(text.length).toBeLessThan(1024 * 1024 + 100_000);
    expect(output.read(end).text).toBe('');
    expect(output.read(end + 5)).toEqual({ text: '', end });
  });
});
