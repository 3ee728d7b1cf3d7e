import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { imageIdOf } from '../../../../lib/adapters/local/containers/images.ts';
import type { RegistryServer } from '../../../containers/fixtures/registry-server.ts';
import { openContainers, revisionOf } from './fixtures/caller.ts';
import { engineForTests } from './fixtures/image.ts';
import { startPrivateRegistry } from './fixtures/private-registry.ts';

const engine = await engineForTests();
const missing = typeof engine === 'string' ? engine : undefined;

/** The login file in a temporary folder; empty if another process has removed it meanwhile. */
function loginsIn(folder: string): string {
  try {
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

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

  test('is pulled with the first valid credentials, in their order', async () => {
    const credentials = [loginOf('other', 'eve', 'example.com'), loginOf('wrong'), loginOf('right')];
    expect(await prepared(revisionOf(image, { credentials }))).toMatchObject({ state: 'ready', reason: '' });
    expect([...new Set(registry.logins)]).toEqual(['ada:wrong', 'ada:right']);
  });

  test('leaves no credentials on disk', async () => {
    await prepared(revisionOf(image, { credentials: [loginOf('right')] }));
    const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(stored.filter((text) => text.includes('right') || text.includes(btoa('ada:right')))).toEqual([]);
    // Other processes have such folders at the same time, with logins for other registries.
    const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('weft-login-'));
    expect(folders.filter((name) => loginsIn(join(tmpdir(), name)).includes(registry.host))).toEqual([]);
  });

  test('is denied to wrong credentials; the status names their users', async () => {
    const status = await prepared(revisionOf(image, { credentials: [loginOf('wrong')] }));
    expect(status).toMatchObject({ state: 'failed', reason: 'Unauthorized' });
    expect(status.message).toBe(
      `the registry ${registry.host} refuses the credentials of 'ada' for the image '${image}': store the right ones`,
    );
  });

  test('is denied without credentials; the status says what to do, and a call fails with the same message', async () => {
    const revision = revisionOf(image, { credentials: [loginOf('right', 'ada', 'example.com')] });
    const status = await prepared(revision);
    expect(status).toMatchObject({ state: 'failed', reason: 'Unauthorized' });
    expect(status.message).toMatch(/does not hand out the image .* without credentials: store them/);
    expect((await call(revision.id, {})).failure).toEqual({ code: '', message: status.message });
    expect(registry.logins).toEqual([]);
  });

  test('is pulled by preparing again after a failure', async () => {
    const revision = revisionOf(image);
    expect((await prepared(revision)).state).toBe('failed');
    expect((await prepared({ ...revision, credentials: [loginOf('right')] })).state).toBe('ready');
  });

  test.each([
    ['that does not exist', '/private/image:2', 'ImageNotFound', /has no image .*: check its name and tag/],
    ['whose name is invalid', '/Private//image::', 'InvalidImageName', /is no name of an image/],
    ['whose name is an option', '/--help', 'InvalidImageName', /is no name of an image/],
  ])('%s fails the revision', async (_, name, reason, message) => {
    const status = await prepared(revisionOf(`${registry.host}${name}`, { credentials: [loginOf('right')] }));
    expect(status).toMatchObject({ state: 'failed', reason });
    expect(status.message).toMatch(message);
  });

  test('that is a file of this machine, in the words of the engine, fails the revision', async () => {
    for (const name of ['dir:/tmp', 'docker-archive:/tmp/image.tar', 'oci:/tmp']) {
      const status = await prepared(revisionOf(name));
      expect(status).toMatchObject({ state: 'failed', reason: 'InvalidImageName' });
      expect(status.message).toBe(`'${name}' is no name of an image`);
    }
  });

  test('of a registry that is down fails the revision', async () => {
    const status = await prepared(revisionOf('127.0.0.1:1/image:1'));
    expect(status).toMatchObject({ state: 'failed', reason: 'RegistryUnreachable' });
  });

  test('is not pulled a second time soon after', async () => {
    const revision = revisionOf(image, { credentials: [loginOf('right')] });
    await prepared(revision);
    registry.logins.length = 0;
    await prepared(revision);
    expect(registry.logins).toEqual([]);
  });

  test('that another tenant fetched with its credentials is denied without its own credentials', async () => {
    const [ada, eve] = ['ada', 'eve'].map((name) => ({ tenant: { id: `id-of-${name}`, name } }));
    expect((await prepared(revisionOf(image, { ...ada, credentials: [loginOf('right')] }))).state).toBe('ready');
    const id = typeof engine === 'string' ? '' : await imageIdOf(engine, image);
    expect(await prepared(revisionOf(image, eve))).toMatchObject({ state: 'failed', reason: 'Unauthorized' });
    const wrong = revisionOf(image, { ...eve, credentials: [loginOf('wrong')] });
    expect(await prepared(wrong)).toMatchObject({ state: 'failed', reason: 'Unauthorized' });
    expect((await prepared(revisionOf(id ?? '', eve))).state).toBe('failed');
    const own = revisionOf(image, { ...eve, credentials: [loginOf('right')] });
    expect(await prepared(own)).toMatchObject({ state: 'ready' });
    expect(await prepared(revisionOf(image, ada))).toMatchObject({ state: 'ready' });
  });

  test('that cannot be started fails the call with the reason', async () => {
    const revision = revisionOf(image, { credentials: [loginOf('right')] });
    await prepared(revision);
    const { failure } = await call(revision.id, { do: 'echo' });
    expect(failure?.code).toBe('');
    expect(failure?.message).toMatch(/before it listened on port 8080: .*word\.txt/);
  });
});

test('a missing engine fails revisions with what to do', async () => {
  const { containers, prepared } = openContainers({ folder: undefined, engine: '/nowhere/podman' });
  expect(await containers.problem()).toMatch(/^container services need podman or docker on this machine: install one/);
  const status = await prepared(revisionOf('any/image'));
  expect(status).toMatchObject({ state: 'failed', reason: 'NoContainerEngine' });
  expect(status.message).toMatch(/install one/);
  await containers.close();
});
