/** Bytes too large for an item. Keys are `/`-separated paths. */
export interface Blobs {
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  /** Removes every blob whose key begins with the prefix. */
  remove(prefix: string): Promise<void>;
}
