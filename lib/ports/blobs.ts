/** Stores bytes that are too large for an item. Keys are paths whose parts are separated by `/`. */
export interface Blobs {
  /** Stores a blob, in place of one with the same key. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns undefined when there is no blob with that key. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Removes every blob whose key begins with the prefix. */
  remove(prefix: string): Promise<void>;
}
