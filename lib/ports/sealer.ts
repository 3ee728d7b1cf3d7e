/** The encryption context of sealed bytes: clear text that is no secret. Names do not begin with `aws-crypto-`. */
export type Binding = Readonly<Record<string, string>>;

/** A data key as it is stored: encrypted with the root key of the installation, and bound to its context. */
export interface DataKey {
  readonly sealed: Uint8Array;
  readonly binding: Binding;
}

/** Encrypts small secrets by envelope encryption. Without the root key of the installation none can be decrypted. */
export interface Sealer {
  /** Returns a new random data key, encrypted; it decrypts with this binding only. */
  newDataKey(binding: Binding): Promise<DataKey>;
  /** Encrypts bytes. Throws when the data key cannot be decrypted. */
  seal(key: DataKey, bytes: Uint8Array, binding: Binding): Promise<Uint8Array>;
  /** Decrypts bytes. Throws for another data key, another binding or changed bytes. */
  open(key: DataKey, sealed: Uint8Array, binding: Binding): Promise<Uint8Array>;
}
