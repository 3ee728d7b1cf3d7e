import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { awsPlaces } from '../../lib/adapters/portable/secrets/aws.ts';
import { externalSecrets, type SecretPlace } from '../../lib/adapters/portable/secrets/external-secrets.ts';
import type { VaultLogin } from '../../lib/adapters/portable/secrets/vault.ts';
import { vaultPlaceOf, vaultSettings } from '../../lib/adapters/portable/secrets/vault-settings.ts';
import { ExternalSecretError, type ExternalSecrets, type SecretKind } from '../../lib/ports/external-secrets.ts';
import { externalSecretsContract } from '../contract/external-secrets.ts';
import { type AwsRequest, errorReply, type Reply, startAwsServer } from './aws/server.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** The port over one place, with a clock that a test moves. */
function portOver(kind: SecretKind, place: SecretPlace, clock = { at: 1_000_000 }): ExternalSecrets {
  const none = 'not here';
  const places = { 'aws-sm': none, 'aws-ssm': none, vault: none, env: none, [kind]: place };
  return externalSecrets({ places, own: new Set([`${kind}:/own`]), now: () => clock.at });
}

/** Secrets Manager or Parameter Store on loopback. */
async function openAws(reply: (request: AwsRequest) => Reply) {
  const server = await startAwsServer(reply);
  closers.push(() => server.close());
  return { ...awsPlaces({ ...server.config, maxAttempts: 1 }), server };
}

const problemOf = (reading: Promise<unknown>): Promise<[string, string]> =>
  reading.then(
    (value) => ['none', String(value)],
    ({ problem, message }: { problem: string; message: string }) => [problem, message],
  );

describe('secrets of Secrets Manager', () => {
  externalSecretsContract(async () => {
    const stored = new Map<string, string>();
    const { secret } = await openAws(({ input }) => {
      const text = stored.get(String(input['SecretId']));
      return text === undefined ? errorReply('ResourceNotFoundException') : { body: { SecretString: text } };
    });
    const clock = { at: 1_000_000 };
    const reference = { kind: 'aws-sm', name: 'weft/demo/db' } as const;
    return {
      port: portOver('aws-sm', secret, clock),
      set: (text) => void stored.set('weft/demo/db', text),
      ...{ reference, absent: { ...reference, name: 'weft/demo/no' } },
      wait: (ms) => {
        clock.at += ms;
      },
    };
  });

  test('have fields, which share a read, and may be bytes', async () => {
    const { secret, server } = await openAws(() => ({
      body: {
        SecretBinary: Buffer.from('{"user":"ada","port":5432,"big":12345678901234567890,"at":{}}').toString('base64'),
      },
    }));
    const port = portOver('aws-sm', secret);
    const read = (field: string) => port.read({ kind: 'aws-sm', name: 'a', field }, 1_000);
    expect(await Promise.all(['user', 'port', 'big'].map(read))).toEqual(['ada', '5432', '12345678901234567890']);
    expect(await problemOf(read('at'))).toEqual(['missing', "its 'at' is missing, empty or no text"]);
    expect(await problemOf(read('constructor'))).toEqual(['missing', "its 'constructor' is missing, empty or no text"]);
    expect(server.requests.map(({ operation, input }) => [operation, input])).toEqual([
      ['GetSecretValue', { SecretId: 'a' }],
    ]);
  });

  test.each([
    ['AccessDeniedException', 'refused'],
    ['DecryptionFailure', 'refused'],
    ['InvalidRequestException', 'missing'],
    ['ThrottlingException', 'unavailable'],
    ['InternalServiceError', 'unavailable'],
    ['constructor', 'unavailable'],
  ])('with the error %s are %s, without the message of AWS', async (name, problem) => {
    const { secret } = await openAws(() => errorReply(name, { message: 'role/secret-role is not authorized' }));
    const [found, message] = await problemOf(portOver('aws-sm', secret).read({ kind: 'aws-sm', name: 'a' }, 0));
    expect(found).toBe(problem);
    expect(message).not.toContain('secret-role');
  });

  test('are not read again within five seconds after an error', async () => {
    const { secret, server } = await openAws(() => errorReply('ResourceNotFoundException'));
    const port = portOver('aws-sm', secret);
    for (let n = 0; n < 3; n += 1) await problemOf(port.read({ kind: 'aws-sm', name: 'a' }, 0));
    expect(server.requests).toHaveLength(1);
  });
});

test('the five seconds after an error count from its end', async () => {
  const clock = { at: 0 };
  let reads = 0;
  const port = portOver(
    'aws-sm',
    async () => {
      reads += 1;
      clock.at += 7_000;
      throw new ExternalSecretError('unavailable', 'slow');
    },
    clock,
  );
  for (const wait of [4_999, 1, 0]) {
    expect(await problemOf(port.read({ kind: 'aws-sm', name: 'a' }, 60_000))).toEqual(['unavailable', 'slow']);
    clock.at += wait;
  }
  expect(reads).toBe(2);
});

describe('parameters of Parameter Store', () => {
  externalSecretsContract(async () => {
    let text: string | undefined;
    const { parameter } = await openAws(({ input }) => {
      expect(input['WithDecryption']).toBe(true);
      const isThere = input['Name'] === '/weft/demo/token' && text !== undefined;
      return isThere ? { body: { Parameter: { Value: text } } } : errorReply('ParameterNotFound');
    });
    const clock = { at: 1_000_000 };
    return {
      port: portOver('aws-ssm', parameter, clock),
      set: (value) => {
        text = value;
      },
      reference: { kind: 'aws-ssm', name: '/weft/demo/token' },
      absent: { kind: 'aws-ssm', name: '/weft/demo/no' },
      wait: (ms) => {
        clock.at += ms;
      },
    };
  });

  test('of the service itself are refused', async () => {
    const { parameter, server } = await openAws(() => ({ body: { Parameter: { Value: 'the key' } } }));
    const reading = portOver('aws-ssm', parameter).read({ kind: 'aws-ssm', name: '/own' }, 0);
    expect(await problemOf(reading)).toEqual(['refused', 'it belongs to the service itself']);
    expect(server.requests).toEqual([]);
  });

  test.each([
    ['', 'it is missing, empty or no text'],
    ['x'.repeat(65_537), 'it has more than 65536 bytes'],
  ])('%#: a text of no valid size is missing', async (text, message) => {
    const { parameter } = await openAws(() => ({ body: { Parameter: { Value: text } } }));
    const reading = portOver('aws-ssm', parameter).read({ kind: 'aws-ssm', name: '/a' }, 0);
    expect(await problemOf(reading)).toEqual(['missing', message]);
  });

  test('without the field of a reference are missing, and the text is not in the message', async () => {
    const { parameter } = await openAws(() => ({ body: { Parameter: { Value: 'hunter2' } } }));
    const reading = portOver('aws-ssm', parameter).read({ kind: 'aws-ssm', name: '/a', field: 'b' }, 0);
    expect(await problemOf(reading)).toEqual(['missing', "it is no JSON object, so it has no 'b'"]);
  });
});

/** A key/value engine of version 2 at `secret/` and an AppRole, with the replies that Vault's HTTP API documents. */
class FakeVault {
  readonly stored = new Map<string, Record<string, unknown> | null>();
  readonly requests: string[] = [];
  readonly namespaces: unknown[] = [];
  tokens = new Set(['root']);
  logins = 0;
  leaseSeconds = 3600;
  location = '';
  /** The status of the next replies, instead of their own. */
  readonly outages: number[] = [];
  readonly server: Server = createServer(async (request, response) => {
    const [status, body] =
      this.outages.length > 0 ? [this.outages.shift() ?? 503, { errors: [] }] : await this.answer(request);
    response
      .writeHead(status, { 'content-type': 'application/json', location: this.location })
      .end(JSON.stringify(body));
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      this.server.closeAllConnections();
      this.server.close();
    });
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(request: IncomingMessage): Promise<[number, unknown]> {
    this.requests.push(`${request.method} ${request.url}`);
    this.namespaces.push(request.headers['x-vault-namespace']);
    if (request.url === '/v1/auth/approle/login') {
      const body = (await json(request)) as { role_id?: string; secret_id?: string };
      if (body.role_id !== 'weft' || body.secret_id !== 'sesame')
        return [400, { errors: ['invalid role or secret ID'] }];
      const token = `hvs.${++this.logins}`;
      this.tokens.add(token);
      const auth = {
        client_token: token,
        accessor: 'a',
        policies: ['weft'],
        lease_duration: this.leaseSeconds,
        renewable: true,
      };
      return [200, { auth, data: null }];
    }
    if (!this.tokens.has(String(request.headers['x-vault-token']))) return [403, { errors: ['permission denied'] }];
    const path = /^\/v1\/secret\/data\/(.+)$/.exec(request.url ?? '')?.[1];
    if (path === undefined) return [404, { errors: ['no handler for route'] }];
    if (path.startsWith('forbidden/')) return [403, { errors: ['1 error occurred: permission denied'] }];
    const data = this.stored.get(decodeURIComponent(path));
    if (data === undefined) return [404, { errors: [] }];
    const metadata = { created_time: '2026-01-15T12:00:00Z', deletion_time: '', destroyed: false, version: 1 };
    return [data === null ? 404 : 200, { data: { data, metadata }, lease_duration: 0, renewable: false }];
  }
}

const PLAIN: SecretPlace = async () => undefined;
const APPROLE = { VAULT_ROLE_ID: 'weft', VAULT_SECRET_ID: 'sesame' };

async function openVault(environment: Record<string, string> = { VAULT_TOKEN: 'root' }, parameter = PLAIN) {
  const vault = new FakeVault();
  const clock = { at: 1_000_000 };
  const settings = vaultSettings({ VAULT_ADDR: `${await vault.open()}/`, ...environment });
  const place = vaultPlaceOf(settings, parameter, () => clock.at);
  if (typeof place === 'string') throw new Error(place);
  const port = portOver('vault', place, clock);
  const read = (name = 'secret/demo/db') => port.read({ kind: 'vault', name, field: 'password' }, 0);
  vault.stored.set('demo/db', { password: 'sesame-opens' });
  return { vault, clock, port, read };
}

describe('secrets of Vault', () => {
  externalSecretsContract(async () => {
    const { vault, clock, port } = await openVault();
    const reference = { kind: 'vault', name: 'secret/demo/token', field: 'value' } as const;
    return {
      port,
      set: (value) => void vault.stored.set('demo/token', { value }),
      ...{ reference, absent: { ...reference, name: 'secret/demo/no' } },
      wait: (ms) => {
        clock.at += ms;
      },
    };
  });

  test('are read in the namespace of Vault Enterprise', async () => {
    const { vault, read } = await openVault({ VAULT_TOKEN: 'root', VAULT_NAMESPACE: 'team' });
    expect(await read()).toBe('sesame-opens');
    expect(vault.requests).toEqual(['GET /v1/secret/data/demo/db']);
    expect(vault.namespaces).toEqual(['team']);
  });

  test('are read with one login by an AppRole, until most of its lease is over', async () => {
    const { vault, clock, port, read } = await openVault(APPROLE);
    vault.stored.set('demo/other', { password: 'b' });
    const other = () => port.read({ kind: 'vault', name: 'secret/demo/other', field: 'password' }, 0);
    expect(await Promise.all([read(), other()])).toEqual(['sesame-opens', 'b']);
    clock.at += 0.8 * 3600 * 1000 - 1;
    await read();
    expect(vault.logins).toBe(1);
    clock.at += 1;
    await read();
    expect(vault.logins).toBe(2);
  });

  test('are read with a new login after the token was revoked, and at most once a minute', async () => {
    const { vault, clock, read } = await openVault(APPROLE);
    await read();
    vault.tokens.clear();
    expect((await problemOf(read()))[0]).toBe('refused');
    clock.at += 60_000;
    expect(await read()).toBe('sesame-opens');
    expect(vault.logins).toBe(2);
  });

  test.each([
    ['that are forbidden', 'secret/forbidden/db', 'refused', 'Vault denies the service access (403)'],
    ['of another engine', 'database/creds/db', 'missing', 'Vault has no such secret, or its version is deleted'],
    ['whose version is deleted', 'secret/gone', 'missing', 'Vault has no such secret, or its version is deleted'],
  ])('%s', async (_what, name, problem, message) => {
    const { vault, read } = await openVault();
    vault.stored.set('gone', null);
    expect(await problemOf(read(name))).toEqual([problem, message]);
  });

  test('are read again when Vault is at fault or sealed, three times', async () => {
    const { vault, read } = await openVault();
    vault.outages.push(500, 503);
    expect(await read()).toBe('sesame-opens');
    vault.outages.push(503, 503, 503);
    expect(await problemOf(read())).toEqual(['unavailable', 'Vault answers 503']);
  });

  test('are not read from a server to which Vault redirects, which would get the token', async () => {
    const [{ vault, read }, other] = [await openVault(), new FakeVault()];
    vault.location = `${await other.open()}/v1/secret/data/demo/db`;
    vault.outages.push(307, 307, 307);
    expect((await problemOf(read()))[0]).toBe('unavailable');
    expect(other.requests).toEqual([]);
  });

  test('are unavailable where Vault cannot be reached', async () => {
    const { vault, read } = await openVault();
    vault.server.closeAllConnections();
    await new Promise((resolve) => vault.server.close(resolve));
    expect(await problemOf(read())).toEqual(['unavailable', 'Vault cannot be reached (ECONNREFUSED)']);
  });

  test('are refused with a wrong AppRole, whose secret is not in the message', async () => {
    const { read } = await openVault({ ...APPROLE, VAULT_SECRET_ID: 'wrong-one' });
    expect(await problemOf(read())).toEqual(['refused', 'Vault does not accept the AppRole of the service (400)']);
  });

  test.each([
    ['{"token": "root"}', 'none'],
    ['{"roleId": "weft", "secretId": "sesame"}', 'none'],
    ['{"roleId": "weft"}', 'refused'],
    ['hunter2', 'refused'],
  ])('%#: are read with the login in a parameter', async (text, problem) => {
    const { read } = await openVault(
      { VAULT_LOGIN_PARAMETER: '/weft/vault' },
      async (name) => name === '/weft/vault' && text,
    );
    const [found, message] = await problemOf(read());
    expect(found).toBe(problem);
    expect(message).not.toContain('hunter2');
  });
});

describe('the settings of Vault', () => {
  test('are none without an address', () => {
    expect(vaultSettings({ VAULT_TOKEN: 'root' })).toBeUndefined();
    expect(vaultPlaceOf(undefined, PLAIN, Date.now)).toBe('the operator has set no address of Vault');
  });

  test.each([
    [{ VAULT_ADDR: 'vault:8200', VAULT_TOKEN: 'a' }, 'VAULT_ADDR is'],
    [{ VAULT_ADDR: 'http://vault:8200' }, 'needs VAULT_TOKEN'],
    [{ VAULT_ADDR: 'http://vault:8200', VAULT_ROLE_ID: 'a' }, 'needs VAULT_TOKEN'],
  ])('%#: are refused if they are incomplete', (environment, message) => {
    expect(() => vaultSettings(environment)).toThrow(message);
  });

  test('prefer an AppRole', () => {
    const login: VaultLogin = { roleId: 'weft', secretId: 'sesame' };
    const environment = { VAULT_ADDR: 'https://vault.example.com', VAULT_TOKEN: 'a', ...APPROLE };
    expect(vaultSettings(environment)).toEqual({ address: 'https://vault.example.com', namespace: undefined, login });
  });
});
