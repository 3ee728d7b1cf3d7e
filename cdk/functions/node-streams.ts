// In place of the package readable-stream in bundles: Node's own streams, of which it is an older copy. Only its
// pipeline may do without a callback.
import { pipeline as joined } from 'node:stream';

export { Duplex, finished, PassThrough, Readable, Transform, Writable } from 'node:stream';

type Parts = Parameters<typeof joined>;

export function pipeline(...parts: unknown[]): unknown {
  const isTold = typeof parts.at(-1) === 'function';
  return joined(...((isTold ? parts : [...parts, () => undefined]) as unknown as Parts));
}
