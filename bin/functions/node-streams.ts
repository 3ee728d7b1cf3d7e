// Replaces the package readable-stream in bundles by Node's own streams, of which it is an older copy. The only difference
// is that the callback of its pipeline is optional.
import { pipeline as joined } from 'node:stream';

export { Duplex, finished, PassThrough, Readable, Transform, Writable } from 'node:stream';

type Parts = Parameters<typeof joined>;

/** Node's `pipeline`, whose last argument may be a callback. */
export function pipeline(...parts: unknown[]): unknown {
  const hasCallback = typeof parts.at(-1) === 'function';
  return joined(...((hasCallback ? parts : [...parts, () => undefined]) as unknown as Parts));
}
