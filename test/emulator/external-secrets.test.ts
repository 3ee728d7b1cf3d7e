import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { awsPlaces } from '../../lib/adapters/portable/secrets/aws.ts';
import { externalSecrets } from '../../lib/adapters/portable/secrets/external-secrets.ts';
import type { ExternalSecrets } from '../../lib/ports/external-secrets.ts';
import { startMiniStack } from './ministack.ts';
import { UnavailableError } from './python-packages.ts';

/** The time to install the emulator, which happens once. */
const MAX_INSTALL_MS = 180_000;

describe('secrets outside the service on an emulator of AWS', () => {
  let stack: Awaited<ReturnType<typeof startMiniStack>>;
  let missing: string | undefined;
  let secrets: SecretsManagerClient;
  let parameters: SSMClient;
  let port: ExternalSecrets;

  beforeAll(async () => {
    try {
      stack = await startMiniStack();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      missing = error.message;
      console.warn(`Secrets are not tested on the emulator: ${missing}`);
      return;
    }
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const config = { endpoint: stack.url, region: 'us-east-1', credentials };
    [secrets, parameters] = [new SecretsManagerClient(config), new SSMClient(config)];
    const { secret, parameter } = awsPlaces(config);
    const places = { 'aws-sm': secret, 'aws-ssm': parameter, vault: 'none', env: 'none' };
    port = externalSecrets({ places, own: new Set(), now: Date.now });
  }, MAX_INSTALL_MS);
  afterAll(() => stack?.stop());
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test('a field of a secret is read, also after a rotation, and is missing after the deletion', async () => {
    const [SecretId, reference] = [
      'weft/demo/db',
      { kind: 'aws-sm', name: 'weft/demo/db', field: 'password' },
    ] as const;
    await secrets.send(new CreateSecretCommand({ Name: SecretId, SecretString: '{"password": "first"}' }));
    expect(await port.read(reference, 60_000)).toBe('first');
    await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: '{"password": "second"}' }));
    expect(await port.read(reference, 60_000)).toBe('first');
    expect(await port.read(reference, 0)).toBe('second');
    await secrets.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
    await expect(port.read(reference, 0)).rejects.toMatchObject({ problem: 'missing' });
  });

  test('an encrypted parameter is read, and another one is missing', async () => {
    const parameter = { Name: '/weft/demo/token', Value: 'sesame', Type: 'SecureString' } as const;
    await parameters.send(new PutParameterCommand(parameter));
    expect(await port.read({ kind: 'aws-ssm', name: '/weft/demo/token' }, 0)).toBe('sesame');
    const absent = port.read({ kind: 'aws-ssm', name: '/weft/demo/none' }, 0);
    await expect(absent).rejects.toMatchObject({ problem: 'missing' });
  });
});
