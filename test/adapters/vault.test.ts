import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parameterVault } from '../../lib/adapters/aws/vault.ts';
import { localVault } from '../../lib/adapters/local/vault.ts';
import { vaultContract } from '../contract/vault.ts';
import { type AwsServer, errorReply, type Reply, startAwsServer } from './aws/server.ts';

describe('the local vault', () => {
  let folder: string;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'weft-vault-')), 'data');
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true }));

  vaultContract(async () => localVault({ folder }));

  test('uses a given key and stores nothing', async () => {
    expect(await localVault({ folder, apiKey: 'given' }).adminKey()).toBe('given');
    expect(await readdir(join(folder, '..'))).toEqual([]);
  });

  test('generates a key in place of an empty one', async () => {
    expect(await localVault({ folder, apiKey: '' }).adminKey()).toMatch(/^[\w-]{43}$/);
  });

  test('stores the key so that only its owner can read it, and corrects the permissions of the file', async () => {
    await localVault({ folder }).adminKey();
    expect((await stat(join(folder, 'api-key'))).mode & 0o777).toBe(0o600);
    await chmod(join(folder, 'api-key'), 0o644);
    await localVault({ folder }).adminKey();
    expect((await stat(join(folder, 'api-key'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['api-key']);
  });

  test('reports a new key once', async () => {
    const reported: string[] = [];
    const options = { folder, onNewKey: (key: string) => reported.push(key) };
    const key = await localVault(options).adminKey();
    await localVault(options).adminKey();
    expect(reported).toEqual([key]);
  });

  test('generates one key for concurrent first uses', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => localVault({ folder }).adminKey()));
    expect(new Set(keys).size).toBe(1);
  });

  test('throws for an empty key file', async () => {
    await localVault({ folder }).adminKey();
    await writeFile(join(folder, 'api-key'), '\n');
    await expect(localVault({ folder }).adminKey()).rejects.toThrow('holds no key');
  });

  test('without a folder each vault has its own key', async () => {
    expect(await localVault().adminKey()).not.toBe(await localVault().adminKey());
  });
});

describe('the vault in Parameter Store', () => {
  let server: AwsServer;
  let reply: Reply;
  let now = 0;
  const parameter = (text: string): Reply => ({ body: { Parameter: { Value: text } } });
  const open = () =>
    parameterVault({ name: 'weft', client: new SSMClient({ ...server.config, maxAttempts: 1 }), now: () => now });
  beforeAll(async () => {
    server = await startAwsServer(() => reply);
  });
  beforeEach(() => {
    reply = parameter('{"apikey": "secret", "other": 1}');
  });
  afterAll(() => server.close());

  vaultContract(async () => open());

  test('reads the parameter decrypted', async () => {
    await open().adminKey();
    expect(server.requests.at(-1)).toMatchObject({
      operation: 'GetParameter',
      input: { Name: 'weft', WithDecryption: true },
    });
  });

  test('reads the parameter once in five minutes, and then beside the requests', async () => {
    const vault = open();
    const before = server.requests.length;
    await Promise.all([vault.adminKey(), vault.adminKey()]);
    reply = parameter('{"apikey": "changed"}');
    now += 299_999;
    expect(await vault.adminKey()).toBe('secret');
    expect(server.requests.length - before).toBe(1);
    now += 1;
    expect(await Promise.all([vault.adminKey(), vault.adminKey()])).toEqual(['secret', 'secret']);
    await expect.poll(() => vault.adminKey()).toBe('changed');
    expect(server.requests.length - before).toBe(2);
  });

  test('waits for the parameter when the key is ten minutes old: a changed key is valid then', async () => {
    const vault = open();
    await vault.adminKey();
    reply = parameter('{"apikey": "changed"}');
    now += 600_000;
    expect(await vault.adminKey()).toBe('changed');
  });

  test('uses the key for an hour while Parameter Store throttles reads, and no other error', async () => {
    const vault = open();
    await vault.adminKey();
    now += 600_000;
    reply = errorReply('ThrottlingException');
    expect(await vault.adminKey()).toBe('secret');
    reply = errorReply('ParameterNotFound');
    await expect(vault.adminKey()).rejects.toThrow('ParameterNotFound');
    reply = errorReply('ThrottlingException');
    now += 3_000_000;
    await expect(vault.adminKey()).rejects.toThrow('ThrottlingException');
  });

  test('reads the parameter again after an error', async () => {
    const vault = open();
    reply = errorReply('ParameterNotFound');
    await expect(vault.adminKey()).rejects.toThrow('ParameterNotFound');
    reply = parameter('{"apikey": "late"}');
    expect(await vault.adminKey()).toBe('late');
  });

  test.each(['{}', '{"apikey": ""}', '{"apikey": 1}', 'null', 'not json: secret', ''])(
    'throws for a parameter %j, without its text in the message',
    async (text) => {
      reply = parameter(text);
      await expect(open().adminKey()).rejects.toThrow(/^the parameter weft has no entry apikey$/);
    },
  );
});
