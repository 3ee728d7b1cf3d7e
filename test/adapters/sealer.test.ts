import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KMSClient } from '@aws-sdk/client-kms';
import { SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { kmsRootKey, parameterRootKey } from '../../lib/adapters/aws/sealer.ts';
import { localSealer } from '../../lib/adapters/local/sealer.ts';
import { envelopeSealer } from '../../lib/adapters/portable/sealer.ts';
import { sealerContract } from '../contract/sealer.ts';
import { type AwsRequest, type AwsServer, errorReply, type Reply, startAwsServer } from './aws/server.ts';

const BINDING = { kind: 'data-key', owner: 'one' };

describe('the local sealer', () => {
  let folder: string;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'weft-sealer-')), 'data');
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true }));

  sealerContract(
    async () => localSealer({ folder }),
    async () => localSealer({ folder: join(folder, 'other') }),
  );

  test('stores the root key so that only its owner can read it', async () => {
    await localSealer({ folder }).newDataKey(BINDING);
    expect(await readdir(folder)).toEqual(['root-key']);
    expect((await stat(join(folder, 'root-key'))).mode & 0o777).toBe(0o600);
  });

  test('creates one root key for concurrent first uses', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => localSealer({ folder }).newDataKey(BINDING)));
    const last = localSealer({ folder });
    for (const key of keys) await last.seal(key, new Uint8Array(1), {});
  });

  test.each(['', 'dG9vIHNob3J0'])(
    'throws for a root key file with %j, and does not create another key',
    async (text) => {
      await localSealer({ folder }).newDataKey(BINDING);
      await writeFile(join(folder, 'root-key'), text);
      const sealing = localSealer({ folder }).newDataKey(BINDING);
      await expect(sealing).rejects.toThrow(/^the file .*root-key holds no /);
      await expect(sealing).rejects.not.toThrow('dG9vIHNob3J0');
    },
  );

  test('without a folder each sealer has its own root key', async () => {
    const key = await localSealer().newDataKey(BINDING);
    await expect(localSealer().seal(key, new Uint8Array(1), {})).rejects.toThrow('does not open');
  });
});

describe('the sealer over Parameter Store', () => {
  let server: AwsServer;
  let reply: Reply | undefined;
  const keys: Record<string, string> = {};
  const answer = ({ input }: AwsRequest): Reply =>
    reply ?? { body: { Parameter: { Value: keys[String(input['Name'])] ?? '' } } };
  const open = async (name = '/weft/root-key') => {
    keys[name] ??= randomBytes(32).toString('base64');
    return envelopeSealer(parameterRootKey({ name, client: new SSMClient({ ...server.config, maxAttempts: 1 }) }));
  };
  beforeAll(async () => {
    server = await startAwsServer(answer);
  });
  afterEach(() => {
    reply = undefined;
  });
  afterAll(() => server.close());

  sealerContract(open, () => open('/other/root-key'));

  test('reads the parameter once, decrypted, for any number of uses', async () => {
    const before = server.requests.length;
    const sealer = await open();
    const key = await sealer.newDataKey(BINDING);
    await Promise.all([1, 2, 3].map(() => sealer.seal(key, new Uint8Array(1), {})));
    expect(server.requests.slice(before)).toMatchObject([
      { operation: 'GetParameter', input: { Name: '/weft/root-key', WithDecryption: true } },
    ]);
  });

  test('reads the parameter again after an error', async () => {
    const sealer = await open();
    reply = errorReply('AccessDeniedException');
    await expect(sealer.newDataKey(BINDING)).rejects.toThrow('AccessDeniedException');
    reply = undefined;
    await sealer.newDataKey(BINDING);
  });

  test.each(['', 'c2hvcnQ='])('throws for a parameter %j', async (Value) => {
    reply = { body: { Parameter: { Value } } };
    await expect((await open()).newDataKey(BINDING)).rejects.toThrow('the parameter /weft/root-key holds no root key');
  });
});

describe('the sealer over the key management service', () => {
  let server: AwsServer;
  const keys: Record<string, Buffer> = {};

  /** A fake of the service: a ciphertext is bound to a key and an encryption context. */
  const answer = ({ operation, input }: AwsRequest): Reply => {
    const context = JSON.stringify(Object.entries(input['EncryptionContext'] as object).sort());
    const key = keys[String(input['KeyId'])] ?? Buffer.alloc(32);
    if (operation === 'Encrypt') {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(String(input['Plaintext']), 'base64'), cipher.final()]);
      return { body: { CiphertextBlob: Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64') } };
    }
    try {
      const blob = Buffer.from(String(input['CiphertextBlob']), 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12)).setAAD(Buffer.from(context));
      decipher.setAuthTag(blob.subarray(12, 28));
      const text = Buffer.concat([decipher.update(blob.subarray(28)), decipher.final()]);
      return { body: { Plaintext: text.toString('base64') } };
    } catch {
      return errorReply('InvalidCiphertextException');
    }
  };
  const open = async (keyId = 'arn:aws:kms:eu-test-1:1:key/one') => {
    keys[keyId] ??= randomBytes(32);
    return envelopeSealer(kmsRootKey({ keyId, client: new KMSClient({ ...server.config, maxAttempts: 1 }) }));
  };
  beforeAll(async () => {
    server = await startAwsServer(answer);
  });
  afterAll(() => server.close());

  sealerContract(open, () => open('arn:aws:kms:eu-test-1:1:key/two'));

  test('decrypts a data key once, with its binding as the encryption context', async () => {
    const key = await (await open()).newDataKey(BINDING);
    const before = server.requests.length;
    const sealer = await open();
    for (let count = 0; count < 3; count += 1) await sealer.seal(key, new Uint8Array(1), {});
    expect(server.requests.slice(before)).toMatchObject([
      { operation: 'Decrypt', input: { KeyId: 'arn:aws:kms:eu-test-1:1:key/one', EncryptionContext: BINDING } },
    ]);
  });
});

describe('decrypted data keys', () => {
  test('are cached up to a thousand; the least recently used is evicted', async () => {
    let opened = 0;
    const root = {
      wrap: async (bytes: Uint8Array) => bytes,
      unwrap: async (bytes: Uint8Array) => {
        opened += 1;
        return bytes;
      },
    };
    const sealer = envelopeSealer(root);
    const keys = await Promise.all(
      Array.from({ length: 1001 }, (_, owner) => sealer.newDataKey({ owner: `${owner}` })),
    );
    const use = (index: number) =>
      sealer.seal(keys[index] ?? { sealed: new Uint8Array(), binding: {} }, Buffer.of(1), {});
    for (let index = 0; index < 1000; index += 1) await use(index);
    await use(0);
    await use(1000);
    expect(opened).toBe(1001);
    await use(0);
    expect(opened).toBe(1001);
    await use(1);
    expect(opened).toBe(1002);
  });
});
