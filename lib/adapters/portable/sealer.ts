import { randomBytes } from 'node:crypto';
import { buildDecrypt } from '@aws-crypto/decrypt-node';
import { buildEncrypt } from '@aws-crypto/encrypt-node';
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from '@aws-crypto/material-management-node';
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from '@aws-crypto/raw-aes-keyring-node';
import type { Binding, DataKey, Sealer } from '../../ports/sealer.ts';

/** Encrypts data keys. Both methods reject when that fails; `unwrap` also for another binding and for changed bytes. */
export interface RootKey {
  wrap(dataKey: Uint8Array, binding: Binding): Promise<Uint8Array>;
  unwrap(sealed: Uint8Array, binding: Binding): Promise<Uint8Array>;
}

/** The length of an AES-256 key. */
export const KEY_BYTES = 32;
/** The number of decrypted data keys that are cached. */
const MAX_CACHED = 1000;

/** Encrypts and decrypts with one key. */
interface Cipher {
  seal(bytes: Uint8Array, binding: Binding): Promise<Uint8Array>;
  open(sealed: Uint8Array, binding: Binding): Promise<Uint8Array>;
}

const textOf = (binding: Binding): string => JSON.stringify(Object.entries(binding).sort());

function cipherOf(key: Uint8Array): Cipher {
  // Key commitment: a ciphertext decrypts under one key only. No signature: every reader may also write.
  const commitmentPolicy = CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT;
  const suiteId = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;
  const { encrypt } = buildEncrypt(commitmentPolicy);
  const { decrypt } = buildDecrypt({ commitmentPolicy, maxEncryptedDataKeys: 1 });
  const keyring = new RawAesKeyringNode({
    keyName: 'key',
    keyNamespace: 'weft',
    // The library requires a buffer that is not part of another.
    unencryptedMasterKey: Uint8Array.from(key),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
    utf8Sorting: true,
  });
  return {
    async seal(bytes, binding) {
      const { result } = await encrypt(keyring, bytes, { suiteId, encryptionContext: { ...binding } });
      return result;
    },
    async open(sealed, binding) {
      const { plaintext, messageHeader } = await decrypt(keyring, sealed);
      // The library only verifies that the message is bound to the context that it contains.
      if (textOf(messageHeader.encryptionContext) === textOf(binding)) return plaintext;
      throw new Error(`the sealed bytes are bound to another context than ${textOf(binding)}`);
    },
  };
}

/**
 * A root key of 32 bytes, which is read once, at its first use. After an error of `read`, or a key of another length,
 * which both methods throw, the next use reads again.
 */
export function rawRootKey(read: () => Promise<Uint8Array>): RootKey {
  let found: Promise<Cipher> | undefined;
  const cipher = () => {
    found ??= read().then(cipherOf);
    found.catch(() => {
      found = undefined;
    });
    return found;
  };
  return {
    wrap: async (dataKey, binding) => (await cipher()).seal(dataKey, binding),
    unwrap: async (sealed, binding) => (await cipher()).open(sealed, binding),
  };
}

/** A cache with least-recently-used eviction. */
class LruCache<T> {
  private readonly entries = new Map<string, T>();

  get(key: string): T | undefined {
    const found = this.entries.get(key);
    if (found !== undefined) this.set(key, found);
    return found;
  }

  set(key: string, value: T): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    const [oldest] = this.entries.keys();
    if (this.entries.size > MAX_CACHED && oldest !== undefined) this.entries.delete(oldest);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}

/**
 * Envelope encryption by the AWS Encryption SDK: the root key encrypts a data key, which
 * encrypts the key of each message, which encrypts the bytes. All methods throw what the root key throws.
 */
export function envelopeSealer(root: RootKey): Sealer {
  const opened = new LruCache<Promise<Cipher>>();
  const cipherFor = ({ sealed, binding }: DataKey): Promise<Cipher> => {
    const name = `${Buffer.from(sealed).toString('base64')} ${textOf(binding)}`;
    const known = opened.get(name);
    if (known !== undefined) return known;
    const made = root.unwrap(sealed, binding).then(cipherOf, (cause: unknown) => {
      throw new Error(`the data key of ${textOf(binding)} does not open: was it sealed under this root key?`, {
        cause,
      });
    });
    opened.set(name, made);
    made.catch(() => opened.delete(name));
    return made;
  };
  return {
    newDataKey: async (binding) => ({ sealed: await root.wrap(randomBytes(KEY_BYTES), binding), binding }),
    seal: async (key, bytes, binding) => (await cipherFor(key)).seal(bytes, binding),
    open: async (key, sealed, binding) => (await cipherFor(key)).open(sealed, binding),
  };
}

/**
 * The bytes of a root key from its stored form, base64 of 32 bytes.
 * @throws Error for any other text; the message has the `place` where it is stored, and not the text.
 */
export function toRootKey(text: string, place: string): Uint8Array {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.length === KEY_BYTES) return bytes;
  throw new Error(`${place} holds no root key: it is ${KEY_BYTES} bytes in base64`);
}
