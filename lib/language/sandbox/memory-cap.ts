const PAGE = 65_536;

let cap = Number.POSITIVE_INFINITY;
let largest = 0;

const grow = WebAssembly.Memory.prototype.grow;

/**
 * From now on no WebAssembly memory of this thread grows beyond so many bytes: the growth fails as if the machine had
 * no more, and the program inside sees an allocation fail. Only for threads that run scripts.
 */
export function capMemory(bytes: number): void {
  cap = bytes;
  WebAssembly.Memory.prototype.grow = cappedGrow;
}

/** The size in bytes of the largest memory that has grown since the last call; zero when none has. */
export function takeLargest(): number {
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
