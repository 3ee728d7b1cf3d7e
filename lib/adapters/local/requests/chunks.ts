/** Chunks of fewer bytes are copied into blocks: each chunk that is kept takes some hundred bytes of memory. */
const SMALL_BYTES = 4096;
const BLOCK_BYTES = 64 * 1024;

/** The chunks of a body, which take about as much memory as their bytes, however small they are. */
export class Chunks {
  readonly #blocks: Buffer[] = [];
  #block = Buffer.alloc(0);
  /** The bytes of the block that are used. */
  #used = 0;

  add(chunk: Buffer): void {
    if (chunk.length >= SMALL_BYTES || (this.#blocks.length === 0 && this.#used === 0)) {
      this.#endBlock();
      this.#blocks.push(chunk);
      return;
    }
    if (this.#used + chunk.length > this.#block.length) {
      this.#endBlock();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    }
    this.#used += chunk.copy(this.#block, this.#used);
  }

  /** In how many blocks of memory the chunks are kept. */
  get blockCount(): number {
    return this.#blocks.length + (this.#used > 0 ? 1 : 0);
  }

  /** All bytes. A single chunk is not copied. */
  join(): Buffer {
    this.#endBlock();
    const [first] = this.#blocks;
    return this.#blocks.length === 1 && first !== undefined ? first : Buffer.concat(this.#blocks);
  }

  #endBlock(): void {
    if (this.#used > 0) this.#blocks.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}
