const MAX_BYTES = 1024 * 1024;

/** The output of a pod, of which the last mebibyte is kept. Positions are bytes since the start of the pod. */
export class PodOutput {
  #chunks: Buffer[] = [];
  #kept = 0;
  #end = 0;

  /** Appends output. */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    this.#end += chunk.length;
    while (this.#kept - (this.#chunks[0]?.length ?? 0) >= MAX_BYTES) this.#kept -= this.#chunks.shift()?.length ?? 0;
  }

  /**
   * The output from a position, or from the oldest byte that is kept, as whole characters; and the position after it.
   */
  read(from: number): { readonly text: string; readonly end: number } {
    const start = this.#end - this.#kept;
    const bytes = Buffer.concat(this.#chunks).subarray(Math.max(0, Math.min(from, this.#end) - start));
    const length = bytes.length - incompleteBytes(bytes);
    return { text: bytes.toString('utf8', 0, length), end: this.#end - bytes.length + length };
  }

  /** The last line, for messages. */
  lastLine(): string {
    return Buffer.concat(this.#chunks).subarray(-500).toString('utf8').trim().split('\n').at(-1) ?? '';
  }
}

/** The number of bytes at the end that are the start of an incomplete UTF-8 character. */
function incompleteBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (needed > 0) return needed > back ? back : 0;
  }
  return 0;
}
