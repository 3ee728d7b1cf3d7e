/** Bytes of a page of WebAssembly memory. */
const PAGE = 65_536;

let cap = Number.POSITIVE_INFINITY;
let largest = 0;

const grow = WebAssembly.Memory.prototype.grow;

/**
 * Limits every WebAssembly memory of this thread to so many bytes, for the lifetime of the thread. An attempt to grow
 * beyond fails, as on a machine without memory, so an allocation inside the program fails.
 */
export function capMemory(bytes: number): void {
  cap = bytes;
  WebAssembly.Memory.prototype.grow = cappedGrow;
}

/** Returns the size in bytes of the largest memory that has grown since the last call; 0 if none has. */
export function takeLargestSize(): number {
  const found = largest;
  largest = 0;
  return found;
}

function cappedGrow(this: WebAssembly.Memory, pages: number): number {
  const size = this.buffer.byteLength + pages * PAGE;
  if (size > cap) throw new RangeError('the memory of a query is used up');
  largest = Math.max(largest, size);
  return Reflect.apply(grow, this, [pages]);
}
