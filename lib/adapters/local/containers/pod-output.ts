const MOST_BYTES = 1024 * 1024;

/** What a pod wrote, the newest mebibyte of it, by the bytes' places since its beginning. */
export class PodOutput {
  #chunks: Buffer[] = [];
  #kept = 0;
  #end = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    this.#end += chunk.length;
    while (this.#kept - (this.#chunks[0]?.length ?? 0) >= MOST_BYTES) this.#kept -= this.#chunks.shift()?.length ?? 0;
  }

  /** From a byte on, or from the oldest that is kept; whole characters only. */
  read(from: number): { readonly text: string; readonly end: number } {
    const start = this.#end - this.#kept;
    const bytes = Buffer.concat(this.#chunks).subarray(Math.max(0, Math.min(from, this.#end) - start));
    const length = bytes.length - unfinished(bytes);
    return { text: bytes.toString('utf8', 0, length), end: this.#end - bytes.length + length };
  }

  /** The last line, for messages. */
  lastWords(): string {
    return Buffer.concat(this.#chunks).subarray(-500).toString('utf8').trim().split('\n').at(-1) ?? '';
  }
}

/** How many bytes at the end begin a character whose rest has not come. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (needed > 0) return needed > back ? back : 0;
  }
  return 0;
}
