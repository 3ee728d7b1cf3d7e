import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RegistryServer } from '../../../containers/fixtures/registry-server.ts';
import { openContainers, revisionOf } from './fixtures/caller.ts';
import { engineForTests } from './fixtures/image.ts';
import { startPrivateRegistry } from './fixtures/private-registry.ts';

const engine = await engineForTests();
const missing = typeof engine === 'string' ? engine : undefined;

describe('the image of a revision', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-containers-'));
  const { containers, call, prepared } = openContainers({ folder });
  let registry: RegistryServer;
  let image = '';
  const loginOf = (token: string, user = 'ada', host = registry.host) => ({ url: `https://${host}`, user, token });

  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  beforeAll(async () => {
    registry = await startPrivateRegistry();
    image = `${registry.host}/private/image:1`;
  });

  afterEach(async () => {
    if (typeof engine !== 'string') await engine.run(['rmi', '-f', image]);
    registry.logins.length = 0;
  });

  afterAll(async () => {
    await containers.close();
    await registry.close();
    rmSync(folder, { recursive: true });
  });

  test('is fetched with the first credentials that open its registry, in their order', async () => {
    const credentials = [loginOf('other', 'eve', 'example.com'), loginOf('wrong'), loginOf('right')];
    expect(await prepared(revisionOf(image, { credentials }))).toMatchObject({ state: 'ready', reason: '' });
    expect([...new Set(registry.logins)]).toEqual(['ada:wrong', 'ada:right']);
  });

  test('leaves no credentials on disk, neither in the folder nor beside it', async () => {
    await prepared(revisionOf(image, { credentials: [loginOf('right')] }));
    const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(kept.filter((text) => text.includes('right') || text.includes(btoa('ada:right')))).toEqual([]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('weft-login-'))).toEqual([]);
  });

  test('is not had with wrong credentials, and says whose', async () => {
    const status = await prepared(revisionOf(image, { credentials: [loginOf('wrong')] }));
    expect(status).toMatchObject({ state: 'failed', reason: 'Unauthorized' });
    expect(status.message).toBe(
      `the registry ${registry.host} refuses the credentials of 'ada' for the image '${image}': store the right ones`,
    );
  });

  test('is not had without credentials, and says what to do; a call fails with the same words', async () => {
    const revision = revisionOf(image, { credentials: [loginOf('right', 'ada', 'example.com')] });
    const status = await prepared(revision);
    expect(status).toMatchObject({ state: 'failed', reason: 'Unauthorized' });
    expect(status.message).toMatch(/does not hand out the image .* without credentials: store them/);
    expect((await call(revision.id, {})).failure).toEqual({ code: '', message: status.message });
    expect(registry.logins).toEqual([]);
  });

  test('can be had by preparing again after a failure', async () => {
    const revision = revisionOf(image);
    expect((await prepared(revision)).state).toBe('failed');
    expect((await prepared({ ...revision, credentials: [loginOf('right')] })).state).toBe('ready');
  });

  test.each([
    ['that does not exist', '/private/image:2', 'ImageNotFound', /has no image .*: check its name and tag/],
    ['whose name is none', '/Private//image::', 'InvalidImageName', /is no name of an image/],
    ['whose name is an option', '/--help', 'InvalidImageName', /is no name of an image/],
  ])('%s is not had', async (_, name, reason, words) => {
    const status = await prepared(revisionOf(`${registry.host}${name}`, { credentials: [loginOf('right')] }));
    expect(status).toMatchObject({ state: 'failed', reason });
    expect(status.message).toMatch(words);
  });

  test('of a registry that is not there is not had', async () => {
    const status = await prepared(revisionOf('127.0.0.1:1/image:1'));
    expect(status).toMatchObject({ state: 'failed', reason: 'RegistryUnreachable' });
  });

  test('is not asked for at once a second time', async () => {
    const revision = revisionOf(image, { credentials: [loginOf('right')] });
    await prepared(revision);
    registry.logins.length = 0;
    await prepared(revision);
    expect(registry.logins).toEqual([]);
  });

  test('that cannot be begun fails the call and says why', async () => {
    const revision = revisionOf(image, { credentials: [loginOf('right')] });
    await prepared(revision);
    const { failure } = await call(revision.id, { do: 'echo' });
    expect(failure?.code).toBe('');
    expect(failure?.message).toMatch(/before it listened on port 8080: .*word\.txt/);
  });
});

test('an engine that is not there is told of in words for the user', async () => {
  const { containers, prepared } = openContainers({ folder: undefined, engine: '/nowhere/podman' });
  expect(await containers.problem()).toMatch(/^container services need podman or docker on this machine: install one/);
  const status = await prepared(revisionOf('any/image'));
  expect(status).toMatchObject({ state: 'failed', reason: 'NoContainerEngine' });
  expect(status.message).toMatch(/install one/);
  await containers.close();
});
