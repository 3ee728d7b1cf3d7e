/** What sealed bytes are bound to, in clear text: no secrets. Names do not begin with `aws-crypto-`. */
export type Binding = Readonly<Record<string, string>>;

/** A data key as it is kept: sealed under the installation's root key and bound to its own facts. */
export interface DataKey {
  readonly sealed: Uint8Array;
  readonly binding: Binding;
}

/** Seals small secrets. What is kept of them is of no use to whoever cannot read the installation's root key. */
export interface Sealer {
  /** A new random data key, sealed; it opens with this binding alone. */
  newDataKey(binding: Binding): Promise<DataKey>;
  /** Throws when the data key does not open. */
  seal(key: DataKey, bytes: Uint8Array, binding: Binding): Promise<Uint8Array>;
  /** Throws for another data key or binding than it was sealed with, and for bytes that were changed. */
  open(key: DataKey, sealed: Uint8Array, binding: Binding): Promise<Uint8Array>;
}
