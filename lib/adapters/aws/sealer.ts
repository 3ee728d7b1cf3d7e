import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { Sealer } from '../../ports/sealer.ts';
import { envelopeSealer, type RootKey, rawRootKey, toRootKey } from '../portable/sealer.ts';

/**
 * The root key in an encrypted parameter of Parameter Store. Its methods throw when the
 * parameter is missing or has no key.
 */
export function parameterRootKey({ name, client = new SSMClient() }: { name: string; client?: SSMClient }): RootKey {
  return rawRootKey(async () => {
    const { Parameter: parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
    return toRootKey(parameter?.Value ?? '', `the parameter ${name}`);
  });
}

/**
 * A root key in the key management service, which encrypts and decrypts data keys itself. Its methods throw the errors
 * of the service.
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

/** The sealer under the root key at `place`: a parameter, whose name begins with a slash, or a key of KMS. */
export function awsSealer(place: string): Sealer {
  return envelopeSealer(place.startsWith('/') ? parameterRootKey({ name: place }) : kmsRootKey({ keyId: place }));
}
