import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { networkWeb } from '../../lib/adapters/portable/web.ts';
import type { Resolve } from '../../lib/egress/guard.ts';
import { UnreachableError } from '../../lib/ports/callees/web.ts';
import { type FakeRegistry, startRegistry } from '../service/containers/fake-registry.ts';

const LONG_MS = 5_000;
const SHORT_MS = 50;

const local = networkWeb({ allowsPrivate: true });
const deployed = networkWeb({ allowsPrivate: false });
/** A resolver that resolves every name to these addresses. */
const resolvesTo = (...addresses: string[]): Resolve => {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_name, callback) => callback(null, found);
};

let server: FakeRegistry;
beforeAll(async () => {
  server = await startRegistry('basic');
});
afterAll(() => server.close());

test('returns status, headers and body for any status', async () => {
  const answer = await local.get(`${server.url}/v2/`, {}, LONG_MS);
  expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Basic realm="here"' }, body: '' });
  const authorization = `Basic ${Buffer.from('user:pass:word').toString('base64')}`;
  expect(await local.get(`${server.url}/v2/`, { authorization }, LONG_MS)).toMatchObject({ status: 200, body: '{}' });
});

test('does not follow redirects', async () => {
  const moved = await startRegistry('moved');
  expect((await local.get(moved.url, {}, LONG_MS)).status).toBe(301);
  expect(moved.asked).toHaveLength(1);
  await moved.close();
});

test('reads no more than 64 KiB of a body', async () => {
  const endless = await startRegistry('endless');
  expect((await local.get(endless.url, {}, LONG_MS)).body).toHaveLength(65_536);
  await endless.close();
});

test('waits no longer than its timeout', async () => {
  const silent = await startRegistry('silent');
  await expect(local.get(silent.url, {}, SHORT_MS)).rejects.toThrow(/'localhost:\d+' did not answer in time/);
  await silent.close();
});

describe('addresses that users cannot reach', () => {
  const NEVER = [
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.170.2/v2/credentials',
    'https://169.254.0.1:8443/',
    'http://2852039166/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://[fe80::1]/',
    'http://[febf::1]:5000/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[fd00:ec2::254]/',
  ];
  const ITSELF = [
    'http://127.0.0.1:9001/',
    'http://127.1/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
  ];

  test.each(NEVER)('%s is never requested', async (url) => {
    for (const web of [local, deployed]) {
      await expect(web.get(url, {}, SHORT_MS)).rejects.toThrow(/leads to an address that is kept from users/);
    }
  });

  test.each(ITSELF)('%s is not requested on Lambda, where the runtime listens', async (url) => {
    await expect(deployed.get(url, {}, SHORT_MS)).rejects.toThrow(/leads to an address that is kept from users/);
  });

  test.each([[['169.254.169.254']], [['fe80::1']], [['::ffff:a9fe:a9fe']], [['127.0.0.1', '169.254.169.254']]])(
    'a name that resolves to %j is not requested',
    async (addresses) => {
      const web = networkWeb({ allowsPrivate: true }, resolvesTo(...addresses));
      const { port } = new URL(server.url);
      const before = server.asked.length;
      await expect(web.get(`http://registry.test:${port}/`, {}, LONG_MS)).rejects.toThrow(
        "'registry.test' leads to an address that is kept from users",
      );
      expect(server.asked.length).toBe(before);
    },
  );

  test.each(['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd12::1', '::ffff:c0a8:101'])(
    'a name that resolves to the private address %s is not requested, unless it is allowed',
    async (address) => {
      const strict = networkWeb({ allowsPrivate: false }, resolvesTo(address));
      await expect(strict.get('http://registry.test/', {}, SHORT_MS)).rejects.toThrow(
        "'registry.test' leads to an address that is kept from users",
      );
    },
  );

  test('a name that resolves to this machine is requested locally, and not on Lambda', async () => {
    const { port } = new URL(server.url);
    const url = `http://registry.test:${port}/`;
    const resolve = resolvesTo('127.0.0.1');
    expect((await networkWeb({ allowsPrivate: true }, resolve).get(url, {}, LONG_MS)).status).toBe(401);
    await expect(networkWeb({ allowsPrivate: false }, resolve).get(url, {}, LONG_MS)).rejects.toThrow(UnreachableError);
  });
});

test.each(['ftp://example.com/', 'file:///etc/passwd', 'no address', ''])('%j is rejected as a URL', async (url) => {
  await expect(local.get(url, {}, SHORT_MS)).rejects.toThrow(/is no address of the web$/);
});

test('the error for an unreachable server has its name, and nothing that was sent', async () => {
  const gone = await startRegistry('open');
  await gone.close();
  const error = await local
    .get(`${gone.url}/v2/`, { authorization: 'Basic c2VjcmV0' }, LONG_MS)
    .catch((reason) => reason);
  expect(error).toBeInstanceOf(UnreachableError);
  expect(error.message).toMatch(/^'localhost:\d+' cannot be reached: ECONNREFUSED$/);
});
