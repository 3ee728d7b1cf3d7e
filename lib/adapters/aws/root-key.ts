import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type RootKey, rawRootKey, toRootKey } from '../portable/sealer.ts';

/**
 * The root key in an encrypted parameter of Parameter Store (architecture, section 6).
 * @throws Error (all) when the parameter is missing, unreadable or holds no key.
 */
export function parameterRootKey({ name, client = new SSMClient() }: { name: string; client?: SSMClient }): RootKey {
  return rawRootKey(async () => {
    const { Parameter: parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    return toRootKey(parameter?.Value ?? '', `the parameter ${name}`);
  });
}

/**
 * A root key that never leaves the key management service.
 * @throws Error (all) as the service refuses.
 */
export function kmsRootKey({ keyId, client = new KMSClient() }: { keyId: string; client?: KMSClient }): RootKey {
  const bytesOf = (bytes: Uint8Array | undefined): Uint8Array => {
    if (bytes === undefined) throw new Error(`the key ${keyId} answered nothing`);
    return bytes;
  };
  return {
    async wrap(dataKey, binding) {
      const command = new EncryptCommand({ KeyId: keyId, Plaintext: dataKey, EncryptionContext: { ...binding } });
      return bytesOf((await client.send(command)).CiphertextBlob);
    },
    async unwrap(sealed, binding) {
      const command = new DecryptCommand({ KeyId: keyId, CiphertextBlob: sealed, EncryptionContext: { ...binding } });
      return bytesOf((await client.send(command)).Plaintext);
    },
  };
}
