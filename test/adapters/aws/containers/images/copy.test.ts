import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { imageEnvironmentOf } from '../../../../../lib/containers/sidecar/lambda/image-environment.ts';
import { addImage, addList, filesIn } from '../../../../containers/fixtures/images.ts';
import { digestOf, type RegistryServer, startRegistryServer } from '../../../../containers/fixtures/registry-server.ts';
import { MemoryTable } from '../../../../contract/memory-table.ts';
import {
  type Copier,
  copierTo,
  pullImage,
  revisionErrorOf,
  startRegistries,
  TARGET,
} from '../fixtures/image-copier.ts';

const START = ['/opt/weft/ld.so', '--library-path', '/opt/weft/lib', '/opt/weft/node', '/opt/weft/beside.mjs'];

let source: RegistryServer;
let target: RegistryServer;
let copier: Copier;
const copy: Copier['copy'] = (...given) => copier.copy(...given);
const copied = () => pullImage(copier.target);

beforeEach(async () => {
  ({ source, target } = await startRegistries());
  copier = copierTo(target.base, source);
});

afterEach(async () => {
  await source.close();
  await target.close();
});

describe('the copy of an image for Lambda', () => {
  test.each(['docker', 'oci'] as const)(
    'has the layers of the image (%s), one with Node and one with the sidecar',
    async (kind) => {
      const layers = [{ 'a.txt': 'a' }, { 'b.txt': 'b' }];
      const { mediaType } = await addImage(source, 'demo/echo:1', { kind, layers });
      const result = await copy(`${source.host}/demo/echo:1`);
      const image = await copied();
      expect(result).toEqual({ digest: image.digest, architecture: 'amd64' });
      expect(image.mediaType).toBe(mediaType);
      const [a, b, node, sidecar] = await Promise.all(image.layers.map(filesIn));
      expect([a, b]).toEqual([{ 'a.txt': 'file 755 a' }, { 'b.txt': 'file 755 b' }]);
      const folders = { 'opt/': 'directory 755 ', 'opt/weft/': 'directory 755 ' };
      expect(node).toEqual({
        ...folders,
        'opt/weft/lib/': 'directory 755 ',
        'opt/weft/ld.so': 'symlink 777 lib/ld-musl-x86_64.so.1',
        'opt/weft/node': 'file 755 node',
        'opt/weft/lib/ld-musl-x86_64.so.1': 'file 755 loader',
        'opt/weft/lib/libgcc_s.so.1': 'file 755 gcc',
        'opt/weft/lib/libstdc++.so.6': 'symlink 777 libstdc++.so.6.0.33',
        'opt/weft/lib/libstdc++.so.6.0.33': 'file 755 c++',
      });
      expect(sidecar).toEqual({ ...folders, 'opt/weft/beside.mjs': 'file 644 program' });
      expect(new Set(image.manifest.layers.map((layer) => layer.mediaType)).size).toBe(1);
      expect(image.config.rootfs.diff_ids).toEqual(image.layers.map((layer) => digestOf(gunzipSync(layer))));
      expect(image.manifest.layers.map(({ size }) => size)).toEqual(image.layers.map(({ length }) => length));
      expect(image.config.history).toEqual([
        { created_by: 'COPY' },
        { created_by: 'COPY' },
        { created_by: 'weft: Node' },
        { created_by: 'weft: what runs beside' },
      ]);
    },
  );

  test('has the user, directory and environment of the image, and starts its command through the sidecar', async () => {
    await addImage(source, 'demo/echo:1');
    await copy(`${source.host}/demo/echo:1`);
    expect((await copied()).config.config).toEqual({
      Entrypoint: [...START, '/run', 'serve'],
      Cmd: [],
      Env: ['A=1', 'B=2'],
      WorkingDir: '/w',
      User: '7',
    });
  });

  test('has the command and the environment of the revision; the command replaces that of the image', async () => {
    await addImage(source, 'demo/echo:1');
    const environment = { B: 'two', C: 'a=b' };
    await copy(`${source.host}/demo/echo:1`, { command: ['/bin/echo', 'hello'], environment });
    expect((await copied()).config.config).toMatchObject({
      Entrypoint: [...START, '/bin/echo', 'hello'],
      Cmd: [],
      Env: ['A=1', 'B=two', 'C=a=b'],
    });
  });

  test('escapes variables that would change the Node of the sidecar', async () => {
    const Env = ['PATH=/bin', 'NODE_OPTIONS=--require ./a.js', 'LD_PRELOAD=/lib/b.so'];
    await addImage(source, 'demo/echo:1', { config: { Cmd: ['/run'], Env } });
    const environment = { NODE_OPTIONS: '--inspect', OWN_NODE_PATH: 'x' };
    await copy(`${source.host}/demo/echo:1`, { environment });
    const variables = (await copied()).config.config['Env'] as readonly string[];
    expect(variables).toEqual([
      'PATH=/bin',
      'WEFT_OF_IMAGE_LD_PRELOAD=/lib/b.so',
      'WEFT_OF_IMAGE_NODE_OPTIONS=--inspect',
      'OWN_NODE_PATH=x',
    ]);
    const inSidecar = Object.fromEntries(variables.map((variable) => variable.split('=') as [string, string]));
    expect(imageEnvironmentOf(inSidecar)).toEqual({ PATH: '/bin', LD_PRELOAD: '/lib/b.so', ...environment });
  });

  test.each([
    [['linux/amd64', 'linux/arm64', 'windows/amd64'], 'arm64'],
    [['windows/amd64', 'linux/amd64', 'linux/s390x'], 'amd64'],
  ])('of an index with %j is that for %s', async (platforms, architecture) => {
    await addList(source, 'demo/echo:1', platforms, { kind: 'oci' });
    expect(await copy(`${source.host}/demo/echo:1`)).toMatchObject({ architecture });
    expect((await copied()).config.architecture).toBe(architecture);
  });

  test('may be made by digest; a manifest with another digest is rejected', async () => {
    const { digest } = await addImage(source, 'demo/echo:1');
    expect(await copy(`${source.host}/demo/echo@${digest}`)).toMatchObject({ architecture: 'amd64' });
    source.manifests.set(`demo/echo@${digest}`, { mediaType: 'application/json', bytes: Buffer.from('{}') });
    const error = await revisionErrorOf(copy(`${source.host}/demo/echo@${digest}`));
    expect(error).toMatchObject({ reason: 'ContainerMissing' });
  });

  test('is pushed once: the second time only the tag is written', async () => {
    await addImage(source, 'demo/echo:1');
    const first = await copy(`${source.host}/demo/echo:1`, {}, 'first');
    target.requests.length = 0;
    expect(await copy(`${source.host}/demo/echo:1`, {}, 'second')).toEqual(first);
    const writes = target.requests.filter((request) => !/^(HEAD|GET) /.test(request));
    expect(writes).toEqual([`PUT /v2/${TARGET}/manifests/second`]);
  });

  test('shares its layers with other revisions of the image', async () => {
    await addImage(source, 'demo/echo:1');
    await copy(`${source.host}/demo/echo:1`);
    target.requests.length = 0;
    await copy(`${source.host}/demo/echo:1`, { environment: { A: 'other' } });
    expect(target.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
  });

  test('is made in several rounds if time is short; each continues where the last stopped', async () => {
    await addImage(source, 'demo/echo:1', { layers: [{ a: '1' }, { b: '2' }, { c: '3' }] });
    const table = new MemoryTable();
    const late = copierTo(target.base, source, { table, isInTime: (message) => !/layer [23]/.test(message) });
    expect(await late.copy(`${source.host}/demo/echo:1`)).toBeUndefined();
    expect(target.manifests.size).toBe(0);
    const next = copierTo(target.base, source, { table });
    expect(await next.copy(`${source.host}/demo/echo:1`)).toMatchObject({ architecture: 'amd64' });
    const image = `the image '${source.host}/demo/echo:1'`;
    expect(next.progress).toEqual([
      `Pulling: looking at ${image}`,
      `Pulling: copying layer 2 of 3 of ${image}`,
      `Pulling: copying layer 3 of 3 of ${image}`,
      `Pushing: storing ${image} with what runs beside it`,
    ]);
  });

  test('is made of redirected blobs; the credentials are not sent to the other origin', async () => {
    const origin = await startRegistryServer({ scheme: 'basic', login: 'ada:right', redirects: true });
    await addImage(origin, 'demo/echo:1');
    const credentials = [{ url: `http://${origin.host}`, user: 'ada', token: 'right' }];
    expect(await copy(`${origin.host}/demo/echo:1`, { credentials })).toMatchObject({ architecture: 'amd64' });
    expect(origin.redirectedAuthorizations).toEqual([undefined, undefined]);
    await origin.close();
  });
});
