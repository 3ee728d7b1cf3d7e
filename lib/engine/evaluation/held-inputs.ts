import { FairQueue } from '../../language/sandbox/fair-queue.ts';

/** An input of more bytes is large. */
const LARGE_BYTES = 256 * 1024;
const MIB = 1024 * 1024;

/**
 * The bytes of large inputs whose runs begin at the same time in this process. A parsed value takes up to 16 times its
 * bytes in the heap, and its run holds it for as long as its queries wait for the sandbox.
 */
const queue = new FairQueue({ total: 32 * MIB, perTenant: 16 * MIB });

/**
 * Does the work that parses an input and begins its run: at once for a small input, else as soon as there is room for it
 * beside the other large ones. Tenants take turns.
 */
export function holdingInput<T>(tenant: string, bytes: number, work: () => Promise<T>): Promise<T> {
  return bytes <= LARGE_BYTES ? work() : queue.run(tenant, work, { weight: bytes });
}
