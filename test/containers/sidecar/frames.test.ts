import { expect, test } from 'vitest';
import { FrameReader, frameOf, writeFrame } from '../../../lib/containers/sidecar/frames.ts';

test('frames are read from pieces of any size', async () => {
  const written: Buffer[] = [];
  const sink = { write: (chunk: Buffer) => written.push(Buffer.from(chunk)) > 0 };
  const frames = [
    { head: { say: 'ä' }, body: Buffer.from('one') },
    { head: {}, body: Buffer.alloc(0) },
    { head: { n: 3 }, body: Buffer.alloc(70_000, 7) },
  ];
  for (const { head, body } of frames) writeFrame(sink as never, head, body);
  const all = Buffer.concat(written);
  for (const size of [1, 7, 1000, all.length]) {
    const reader = new FrameReader<object>();
    const read = [];
    for (let at = 0; at < all.length; at += size) read.push(...reader.push(all.subarray(at, at + size)));
    expect(read.map(({ head, body }) => [head, body.equals(Buffer.alloc(0)) ? 0 : body.length])).toEqual([
      [{ say: 'ä' }, 3],
      [{}, 0],
      [{ n: 3 }, 70_000],
    ]);
  }
});

test('frames within one piece are read without a copy', () => {
  const piece = Buffer.concat([1, 2, 3].map((n) => frameOf({ n }, Buffer.alloc(10_000, n))));
  const frames = new FrameReader<object>().push(piece);
  expect(frames.map(({ body }) => body.buffer === piece.buffer)).toEqual([true, true, true]);
});
