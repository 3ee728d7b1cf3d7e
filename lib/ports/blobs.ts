/** Stores bytes that are too large for an item. Keys are paths whose parts are separated by `/`. */
export interface Blobs {
  /** Stores a blob, in place of one with the same key. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns undefined when there is no blob with that key. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Removes every blob whose key begins with the prefix. */
  remove(prefix: string): Promise<void>;
  /** Removes the blobs with these keys; without effect for a key that has none. */
  delete(keys: readonly string[]): Promise<void>;
  /**
   * The first keys, in the order of their UTF-8 bytes, that begin with the prefix and come after `after`: at least one
   * if there are any, and at most 1000.
   */
  list(prefix: string, after?: string): Promise<readonly string[]>;
}
