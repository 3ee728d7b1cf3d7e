import { expect, test } from 'vitest';
import { type Frame, framesOf } from '../../clients/api/frames.ts';

const STREAM = ': comment\r\nid: 1\ndata: a€\ndata: b\n\nevent: error\rdata:{"Code":5}\r\r\n\ndata: unfinished';
const FRAMES: readonly Frame[] = [
  { event: 'message', data: 'a€\nb', id: '1' },
  { event: 'error', data: '{"Code":5}', id: undefined },
];

/** A stream that arrives in pieces of `size` bytes, and counts its cancellations. */
function streamOf(size: number) {
  const bytes = new TextEncoder().encode(STREAM);
  let [from, cancelled] = [0, 0];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (from >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(from, from + size));
      from += size;
    },
    cancel: () => {
      cancelled += 1;
    },
  });
  return { response: new Response(body), cancelled: () => cancelled };
}

test.each([1, 2, 3, 7, 1000])('frames are the same however the stream is cut: pieces of %i bytes', async (size) => {
  const frames: Frame[] = [];
  for await (const some of framesOf(streamOf(size).response)) frames.push(...some);
  expect(frames).toEqual(FRAMES);
});

test('a stream is cancelled when its reader stops early, and a failed one throws its own error', async () => {
  const { response, cancelled } = streamOf(1);
  for await (const _ of framesOf(response)) break;
  expect(cancelled()).toBe(1);
  const failing = new ReadableStream({ start: (controller) => controller.error(new Error('the line is cut')) });
  await expect(framesOf(new Response(failing)).next()).rejects.toThrow('the line is cut');
});
