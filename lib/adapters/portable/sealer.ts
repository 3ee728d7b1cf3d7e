import { randomBytes } from 'node:crypto';
import { buildDecrypt } from '@aws-crypto/decrypt-node';
import { buildEncrypt } from '@aws-crypto/encrypt-node';
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from '@aws-crypto/material-management-node';
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from '@aws-crypto/raw-aes-keyring-node';
import type { Binding, DataKey, Sealer } from '../../ports/sealer.ts';

/** What wraps data keys. Both reject when it cannot; `unwrap` also for another binding or changed bytes. */
export interface RootKey {
  wrap(dataKey: Uint8Array, binding: Binding): Promise<Uint8Array>;
  unwrap(sealed: Uint8Array, binding: Binding): Promise<Uint8Array>;
}

/** Of AES-256, in bytes. */
export const KEY_BYTES = 32;
/** Opened data keys are kept in memory, this many: the one unused longest goes. */
const MOST_OPENED = 1000;

/** Seals and opens under one key. */
interface Cipher {
  seal(bytes: Uint8Array, binding: Binding): Promise<Uint8Array>;
  open(sealed: Uint8Array, binding: Binding): Promise<Uint8Array>;
}

const textOf = (binding: Binding): string => JSON.stringify(Object.entries(binding).sort());

function cipherOf(key: Uint8Array): Cipher {
  // Commitment: a sealed text opens under one key only. No signature: whoever can open may seal as well.
  const commitmentPolicy = CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT;
  const suiteId = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;
  const { encrypt } = buildEncrypt(commitmentPolicy);
  const { decrypt } = buildDecrypt({ commitmentPolicy, maxEncryptedDataKeys: 1 });
  const keyring = new RawAesKeyringNode({
    keyName: 'key',
    keyNamespace: 'weft',
    // It wants a memory of its own.
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
      // The library only proves that the message is bound to what stands in it.
      if (textOf(messageHeader.encryptionContext) === textOf(binding)) return plaintext;
      throw new Error(`what was sealed is bound to something other than ${textOf(binding)}`);
    },
  };
}

/**
 * A root key of 32 bytes that is read when it is first needed, and once.
 * @throws Error (both) as `read` does, and for a key of another length; the next call reads again.
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

/** Remembers what was last used, and that for so many keys. */
class Recent<T> {
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
    if (this.entries.size > MOST_OPENED && oldest !== undefined) this.entries.delete(oldest);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}

/**
 * Envelopes by the AWS Encryption SDK (architecture, section 6): the root key seals a data key, which seals the key of
 * each message, which seals the bytes.
 * @throws Error (all) what the root key throws.
 */
export function envelopeSealer(root: RootKey): Sealer {
  const opened = new Recent<Promise<Cipher>>();
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

/** The bytes of a root key as it is kept: 32 bytes in base64. Throws Error, which names `place` and not the text. */
export function toRootKey(text: string, place: string): Uint8Array {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.length === KEY_BYTES) return bytes;
  throw new Error(`${place} holds no root key: it is ${KEY_BYTES} bytes in base64`);
}
