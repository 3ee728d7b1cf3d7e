import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TransientError } from '../../../../../lib/containers/errors.ts';
import { egressGuard } from '../../../../../lib/egress/guard.ts';
import { addImage, addList, filesIn } from '../../../../containers/fixtures/images.ts';
import { type RegistryServer, startRegistryServer } from '../../../../containers/fixtures/registry-server.ts';
import { type DebianRegistry, missingRegistry, startDebianRegistry } from '../fixtures/debian-registry.ts';
import { copierTo, pullImage, revisionErrorOf, startRegistries, TARGET } from '../fixtures/image-copier.ts';

let source: RegistryServer;
let target: RegistryServer;

beforeEach(async () => {
  ({ source, target } = await startRegistries());
});

afterEach(async () => {
  await source.close();
  await target.close();
});

describe.each(['basic', 'bearer'] as const)('an image of a private registry (%s)', (scheme) => {
  let registry: RegistryServer;
  let image: string;
  const login = (token: string) => ({ url: `https://${registry.host}`, user: 'ada', token });
  beforeEach(async () => {
    registry = await startRegistryServer({ scheme, login: 'ada:right' });
    await addImage(registry, 'demo/echo:1');
    image = `${registry.host}/demo/echo:1`;
  });
  afterEach(() => registry.close());

  test('is pulled with the first valid credentials', async () => {
    const credentials = [login('wrong'), login('right')];
    expect(await copierTo(target.base, source).copy(image, { credentials })).toMatchObject({ architecture: 'amd64' });
  });

  test('is denied to wrong credentials; the error names their users', async () => {
    const { copy } = copierTo(target.base, source);
    expect(await revisionErrorOf(copy(image, { credentials: [login('wrong')] }))).toEqual({
      reason: 'Unauthorized',
      message: `the registry ${registry.host} refuses the credentials of 'ada' for the image '${image}': store the right ones`,
    });
  });

  test('is denied without credentials; those of other registries are not sent', async () => {
    const { copy } = copierTo(target.base, source);
    const other = { url: 'https://example.com', user: 'ada', token: 'right' };
    expect(await revisionErrorOf(copy(image, { credentials: [other] }))).toEqual({
      reason: 'Unauthorized',
      message: `the registry ${registry.host} does not hand out the image '${image}' without credentials: store them as a registry with that host, or check the image's name`,
    });
  });
});

describe('an image that cannot run on Lambda', () => {
  async function errorOf(add: (source: RegistryServer) => Promise<unknown>, name = 'demo/echo:1'): Promise<string> {
    await add(source);
    const { copy } = copierTo(target.base, source);
    const { reason, message } = await revisionErrorOf(copy(`${source.host}/${name}`));
    return `${reason}: ${message.replaceAll(source.host, 'HOST')}`;
  }

  test('fails with what is wrong', async () => {
    expect(await errorOf(async () => {}, 'demo/none:1')).toBe(
      "ImageNotFound: the registry HOST has no image 'HOST/demo/none:1': check its name and tag",
    );
    expect(await errorOf(async () => {}, 'demo/Echo:1')).toBe(
      "InvalidImageName: 'HOST/demo/Echo:1' is no name of an image",
    );
    expect(await errorOf((registry) => addList(registry, 'demo/echo:1', ['windows/amd64', 'linux/s390x']))).toBe(
      "WrongPlatform: the image 'HOST/demo/echo:1' is there for windows/amd64, linux/s390x; it needs to be for linux/amd64 or linux/arm64",
    );
    expect(await errorOf((registry) => addImage(registry, 'demo/echo:1', { architecture: 'riscv64' }))).toBe(
      "WrongPlatform: the image 'HOST/demo/echo:1' is for linux/riscv64; it needs to be for linux/amd64 or linux/arm64",
    );
    expect(await errorOf((registry) => addImage(registry, 'demo/echo:1', { config: { Env: ['A=1'] } }))).toBe(
      "InvalidImage: the image 'HOST/demo/echo:1' has no command: name one in cmd",
    );
  });

  test('fails when the name of its registry does not resolve', async () => {
    const guard = egressGuard({ allowsPrivate: true }, (_name, callback) => {
      callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    });
    const { copy } = copierTo(target.base, source, { guard });
    expect(await revisionErrorOf(copy('registry.invalid/demo/echo:1'))).toEqual({
      reason: 'RegistryUnreachable',
      message: "'registry.invalid' cannot be reached: ENOTFOUND",
    });
  });

  test('fails with a transient error when its registry is down or busy', async () => {
    const { copy } = copierTo(target.base, source);
    await expect(copy('127.0.0.1:1/demo/echo:1')).rejects.toThrow(TransientError);
    source.nextErrors.push({ pattern: /manifests\/1$/, status: 503 });
    await expect(copy(`${source.host}/demo/echo:1`)).rejects.toThrow('answered 503');
  });

  test('fails without a request when its name resolves to the machine itself', async () => {
    await addImage(source, 'demo/echo:1');
    const { copy } = copierTo(target.base, source, { guard: egressGuard({ allowsPrivate: false }) });
    expect(await revisionErrorOf(copy(`${source.host}/demo/echo:1`))).toMatchObject({
      reason: 'RegistryUnreachable',
      message: expect.stringMatching('own'),
    });
    expect(source.requests).toEqual([]);
  });
});

describe('docker’s own registry', () => {
  let registry: DebianRegistry;
  beforeAll(async () => {
    if (missingRegistry === undefined) registry = await startDebianRegistry('AWS', 'secret');
  });
  afterAll(() => registry?.close());
  beforeEach(({ skip }) => skip(missingRegistry !== undefined, missingRegistry));

  test('stores a copied image, and is a source of images', async () => {
    const word = 'x'.repeat(300_000);
    await addList(source, 'demo/echo:1', ['linux/amd64', 'linux/arm64'], {
      layers: [{ 'large.txt': word }, { b: '2' }],
    });
    const base = `http://${registry.host}`;
    const first = copierTo(base, source);
    const copied = await first.copy(`${source.host}/demo/echo:1`);
    const image = await pullImage(first.target);
    expect(image.digest).toBe(copied?.digest);
    expect(image.layers).toHaveLength(4);
    expect(await filesIn(image.layers[0] ?? Buffer.alloc(0))).toEqual({ 'large.txt': `file 755 ${word}` });

    const second = copierTo(target.base, source);
    const credentials = [{ url: base, user: 'AWS', token: 'secret' }];
    await second.copy(`${registry.host}/${TARGET}:tag`, { credentials });
    expect((await pullImage(second.target)).layers).toHaveLength(6);
    const wrong = [{ url: base, user: 'AWS', token: 'wrong' }];
    const denied = await revisionErrorOf(second.copy(`${registry.host}/${TARGET}:tag`, { credentials: wrong }));
    expect(denied.reason).toBe('Unauthorized');
    const missing = await revisionErrorOf(second.copy(`${registry.host}/${TARGET}:none`, { credentials }));
    expect(missing.reason).toBe('ImageNotFound');
  });
});
