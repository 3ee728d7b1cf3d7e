import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { copyImage } from '../../../../lib/adapters/aws/containers/images/image-copy.ts';
import { createLayerSource } from '../../../../lib/adapters/aws/containers/images/layers.ts';
import type { RevisionFailedError } from '../../../../lib/containers/errors.ts';
import { TransientError } from '../../../../lib/containers/errors.ts';
import { Repository } from '../../../../lib/containers/oci/registry.ts';
import { imageEnvironmentOf } from '../../../../lib/containers/sidecar/image-environment.ts';
import { egressGuard } from '../../../../lib/egress/guard.ts';
import type { ContainerRevision } from '../../../../lib/ports/containers.ts';
import { MemoryTable } from '../../../contract/memory-table.ts';
import { type DebianRegistry, missingRegistry, startDebianRegistry } from './stage/debian-registry.ts';
import { addImage, addList, addNode, filesIn, NODE } from './stage/images.ts';
import { digestOf, type Store, startStore } from './stage/store.ts';

const guard = egressGuard({ allowsLoopback: true });
const TARGET = 'weft-containers';
/** Of an installation. */
let table = new MemoryTable();
let program = 'program';
const opened: { close(): Promise<void> }[] = [];

async function store(...options: Parameters<typeof startStore>): Promise<Store> {
  const made = await startStore(...options);
  opened.push(made);
  return made;
}

beforeEach(() => {
  [table, program] = [new MemoryTable(), 'program'];
});

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

type Fields = Partial<Pick<ContainerRevision, 'command' | 'environment' | 'credentials'>>;

/** Copies into a target, which lets `aws` in. */
function copierOf(nodes: Store, base: string, isInTime: (told: string) => boolean = () => true, asking = guard) {
  const target = new Repository(guard, base, TARGET, { user: 'AWS', token: 'secret' }, 'pull,push');
  const nodeImage = `${nodes.host}/${NODE}:1`;
  const layersFor = createLayerSource({ guard, table, program: async () => Buffer.from(program), nodeImage });
  const told: string[] = [];
  const next = async (reason: string, message: string) => {
    told.push(`${reason}: ${message}`);
    return isInTime(message);
  };
  const copy = (image: string, fields: Fields = {}, tag = 'tag') => {
    const source = { image, command: [], environment: {}, credentials: [], ...fields };
    return copyImage({ guard: asking, target, layersFor, next }, source, tag);
  };
  return { target, copy, told };
}

interface Config {
  readonly architecture: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly rootfs: { readonly diff_ids: readonly string[] };
  readonly history: readonly unknown[];
}

/** The image behind a tag, as whoever pulls it reads it. */
async function read(target: Repository, tag = 'tag') {
  const { mediaType, digest, bytes } = await target.manifest(tag);
  const manifest = JSON.parse(bytes.toString()) as {
    readonly config: { readonly digest: string; readonly mediaType: string };
    readonly layers: readonly { readonly digest: string; readonly mediaType: string; readonly size: number }[];
  };
  const config = JSON.parse((await target.smallBlob(manifest.config.digest)).toString()) as Config;
  const layers = await Promise.all(manifest.layers.map((layer) => target.smallBlob(layer.digest)));
  return { mediaType, digest, manifest, config, layers };
}

const unfitOf = (asked: Promise<unknown>): Promise<Pick<RevisionFailedError, 'reason' | 'message'>> =>
  asked.then(
    () => ({ reason: 'none', message: 'it was copied' }),
    ({ reason, message }: RevisionFailedError) => ({ reason, message }),
  );

async function twoStores() {
  const [source, target] = [await store(), await store({ asks: 'basic', login: 'AWS:secret' })];
  await addNode(source);
  return { source, target };
}

const START = ['/opt/weft/ld.so', '--library-path', '/opt/weft/lib', '/opt/weft/node', '/opt/weft/beside.mjs'];

describe('an image that is made runnable on Lambda', () => {
  test.each(['docker', 'oci'] as const)(
    'keeps its layers (%s) and gets one with Node and one with our program',
    async (kind) => {
      const { source, target } = await twoStores();
      const layers = [{ 'a.txt': 'a' }, { 'b.txt': 'b' }];
      const { mediaType } = await addImage(source, 'demo/echo', '1', { kind, layers });
      const { copy, target: repository } = copierOf(source, target.base);
      const copied = await copy(`${source.host}/demo/echo:1`);
      const image = await read(repository);
      expect(copied).toEqual({ digest: image.digest, architecture: 'amd64' });
      expect(image.mediaType).toBe(mediaType);
      const [a, b, node, ours] = await Promise.all(image.layers.map(filesIn));
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
      expect(ours).toEqual({ ...folders, 'opt/weft/beside.mjs': 'file 644 program' });
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

  test('keeps its user, folder and environment, and its command for Node to start', async () => {
    const { source, target } = await twoStores();
    await addImage(source, 'demo/echo', '1');
    const { copy, target: repository } = copierOf(source, target.base);
    await copy(`${source.host}/demo/echo:1`);
    const { config } = await read(repository);
    expect(config.config).toEqual({
      Entrypoint: [...START, '/run', 'serve'],
      Cmd: [],
      Env: ['A=1', 'B=2'],
      WorkingDir: '/w',
      User: '7',
    });
  });

  test('takes the command and the environment of the revision, a command in place of all of its own', async () => {
    const { source, target } = await twoStores();
    await addImage(source, 'demo/echo', '1');
    const { copy, target: repository } = copierOf(source, target.base);
    const environment = { B: 'two', C: 'a=b' };
    await copy(`${source.host}/demo/echo:1`, { command: ['/bin/echo', 'hello'], environment });
    const { config } = await read(repository);
    expect(config.config).toMatchObject({
      Entrypoint: [...START, '/bin/echo', 'hello'],
      Cmd: [],
      Env: ['A=1', 'B=two', 'C=a=b'],
    });
  });

  test('has what would change the Node beside it under other names', async () => {
    const { source, target } = await twoStores();
    const Env = ['PATH=/bin', 'NODE_OPTIONS=--require ./a.js', 'LD_PRELOAD=/lib/b.so'];
    await addImage(source, 'demo/echo', '1', { config: { Cmd: ['/run'], Env } });
    const { copy, target: repository } = copierOf(source, target.base);
    const environment = { NODE_OPTIONS: '--inspect', OWN_NODE_PATH: 'x' };
    await copy(`${source.host}/demo/echo:1`, { environment });
    const given = (await read(repository)).config.config['Env'] as readonly string[];
    expect(given).toEqual([
      'PATH=/bin',
      'WEFT_OF_IMAGE_LD_PRELOAD=/lib/b.so',
      'WEFT_OF_IMAGE_NODE_OPTIONS=--inspect',
      'OWN_NODE_PATH=x',
    ]);
    const seen = Object.fromEntries(given.map((entry) => entry.split('=') as [string, string]));
    expect(imageEnvironmentOf(seen)).toEqual({ PATH: '/bin', LD_PRELOAD: '/lib/b.so', ...environment });
  });

  test.each([
    [['linux/amd64', 'linux/arm64', 'windows/amd64'], 'arm64'],
    [['windows/amd64', 'linux/amd64', 'linux/s390x'], 'amd64'],
  ])('is chosen from a list of %j for %s', async (platforms, architecture) => {
    const { source, target } = await twoStores();
    await addList(source, 'demo/echo', '1', platforms, { kind: 'oci' });
    const { copy, target: repository } = copierOf(source, target.base);
    expect(await copy(`${source.host}/demo/echo:1`)).toMatchObject({ architecture });
    expect((await read(repository)).config.architecture).toBe(architecture);
  });

  test('is fetched by its digest', async () => {
    const { source, target } = await twoStores();
    const { digest } = await addImage(source, 'demo/echo', '1');
    const { copy } = copierOf(source, target.base);
    expect(await copy(`${source.host}/demo/echo@${digest}`)).toMatchObject({ architecture: 'amd64' });
    source.manifests.set(`demo/echo@${digest}`, { mediaType: 'application/json', bytes: Buffer.from('{}') });
    expect(await unfitOf(copy(`${source.host}/demo/echo@${digest}`))).toMatchObject({ reason: 'ContainerMissing' });
  });

  test('is copied once: the second time nothing but its tag is written', async () => {
    const { source, target } = await twoStores();
    await addImage(source, 'demo/echo', '1');
    const { copy } = copierOf(source, target.base);
    const first = await copy(`${source.host}/demo/echo:1`, {}, 'first');
    target.asked.length = 0;
    expect(await copy(`${source.host}/demo/echo:1`, {}, 'second')).toEqual(first);
    const written = target.asked.filter((asked) => !/^(HEAD|GET) /.test(asked));
    expect(written).toEqual([`PUT /v2/${TARGET}/manifests/second`]);
  });

  test('shares its layers with other revisions of it', async () => {
    const { source, target } = await twoStores();
    await addImage(source, 'demo/echo', '1');
    const { copy } = copierOf(source, target.base);
    await copy(`${source.host}/demo/echo:1`);
    target.asked.length = 0;
    await copy(`${source.host}/demo/echo:1`, { environment: { A: 'other' } });
    expect(target.asked.filter((asked) => asked.startsWith('PATCH'))).toHaveLength(1);
  });

  test('is copied in as many rounds as it takes, each going on where the last ended', async () => {
    const { source, target } = await twoStores();
    await addImage(source, 'demo/echo', '1', { layers: [{ a: '1' }, { b: '2' }, { c: '3' }] });
    const late = copierOf(source, target.base, (message) => !/layer [23]/.test(message));
    expect(await late.copy(`${source.host}/demo/echo:1`)).toBeUndefined();
    expect(target.manifests.size).toBe(0);
    const { copy, told } = copierOf(source, target.base);
    expect(await copy(`${source.host}/demo/echo:1`)).toMatchObject({ architecture: 'amd64' });
    const image = `the image '${source.host}/demo/echo:1'`;
    expect(told).toEqual([
      `Pulling: looking at ${image}`,
      `Pulling: copying layer 2 of 3 of ${image}`,
      `Pulling: copying layer 3 of 3 of ${image}`,
      `Pushing: storing ${image} with what runs beside it`,
    ]);
  });

  test('is fetched from where its registry leads, which does not learn how the registry is opened', async () => {
    const source = await store({ asks: 'basic', login: 'ada:right', redirects: true });
    const { source: nodes, target } = await twoStores();
    await addImage(source, 'demo/echo', '1');
    const { copy } = copierOf(nodes, target.base);
    const credentials = [{ url: `http://${source.host}`, user: 'ada', token: 'right' }];
    expect(await copy(`${source.host}/demo/echo:1`, { credentials })).toMatchObject({ architecture: 'amd64' });
    expect(source.elsewhere).toEqual([undefined, undefined]);
  });
});

describe('an image of a private registry', () => {
  const login = (store: Store, token: string, user = 'ada') => ({ url: `https://${store.host}`, user, token });

  describe.each(['basic', 'bearer'] as const)('that asks for a login (%s)', (asks) => {
    async function open() {
      const source = await store({ asks, login: 'ada:right' });
      const { source: nodes, target } = await twoStores();
      await addImage(source, 'demo/echo', '1');
      return { source, copy: copierOf(nodes, target.base).copy, image: `${source.host}/demo/echo:1` };
    }

    test('is fetched with the first credentials that open it', async () => {
      const { source, copy, image } = await open();
      const credentials = [login(source, 'wrong'), login(source, 'right')];
      expect(await copy(image, { credentials })).toMatchObject({ architecture: 'amd64' });
    });

    test('is refused to wrong credentials, and the users are named', async () => {
      const { source, copy, image } = await open();
      expect(await unfitOf(copy(image, { credentials: [login(source, 'wrong')] }))).toEqual({
        reason: 'Unauthorized',
        message: `the registry ${source.host} refuses the credentials of 'ada' for the image '${image}': store the right ones`,
      });
    });

    test('is refused to who has none, or those of another registry, which it does not learn', async () => {
      const { source, copy, image } = await open();
      const other = { url: 'https://example.com', user: 'ada', token: 'right' };
      const { reason, message } = await unfitOf(copy(image, { credentials: [other] }));
      expect({ reason, message }).toEqual({
        reason: 'Unauthorized',
        message: `the registry ${source.host} does not hand out the image '${image}' without credentials: store them as a registry with that host, or check the image's name`,
      });
    });
  });
});

describe('an image that cannot run on Lambda', () => {
  const refused = async (add: (source: Store) => Promise<unknown>, name = 'demo/echo:1') => {
    const { source, target } = await twoStores();
    await add(source);
    const { reason, message } = await unfitOf(copierOf(source, target.base).copy(`${source.host}/${name}`));
    return `${reason}: ${message.replaceAll(source.host, 'HOST')}`;
  };

  test('is named with what is wrong', async () => {
    expect(await refused(async () => {}, 'demo/none:1')).toBe(
      "ImageNotFound: the registry HOST has no image 'HOST/demo/none:1': check its name and tag",
    );
    expect(await refused(async () => {}, 'demo/Echo:1')).toBe(
      "InvalidImageName: 'HOST/demo/Echo:1' is no name of an image",
    );
    expect(await refused((source) => addList(source, 'demo/echo', '1', ['windows/amd64', 'linux/s390x']))).toBe(
      "WrongPlatform: the image 'HOST/demo/echo:1' is there for windows/amd64, linux/s390x; it needs to be for linux/amd64 or linux/arm64",
    );
    expect(await refused((source) => addImage(source, 'demo/echo', '1', { architecture: 'riscv64' }))).toBe(
      "WrongPlatform: the image 'HOST/demo/echo:1' is for linux/riscv64; it needs to be for linux/amd64 or linux/arm64",
    );
    expect(await refused((source) => addImage(source, 'demo/echo', '1', { config: { Env: ['A=1'] } }))).toBe(
      "InvalidImage: the image 'HOST/demo/echo:1' has no command: name one in cmd",
    );
  });

  test('because nobody has the name of its registry is named', async () => {
    const { source, target } = await twoStores();
    const lost = egressGuard({ allowsLoopback: true }, (_name, answer) => {
      answer(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    });
    const { copy } = copierOf(source, target.base, () => true, lost);
    const asked = copy('registry.invalid/demo/echo:1');
    expect(await unfitOf(asked)).toEqual({
      reason: 'RegistryUnreachable',
      message: "'registry.invalid' cannot be reached: ENOTFOUND",
    });
  });

  test('because its registry is not there may be tried again', async () => {
    const { source, target } = await twoStores();
    const { copy } = copierOf(source, target.base);
    await expect(copy('127.0.0.1:1/demo/echo:1')).rejects.toThrow(TransientError);
    source.refusals.push({ sign: /manifests\/1$/, status: 503 });
    await expect(copy(`${source.host}/demo/echo:1`)).rejects.toThrow('answered 503');
  });

  test('because its name leads to the machine itself is refused', async () => {
    const { source, target } = await twoStores();
    await addImage(source, 'demo/echo', '1');
    const { copy } = copierOf(source, target.base, () => true, egressGuard({ allowsLoopback: false }));
    const asked = copy(`${source.host}/demo/echo:1`);
    expect(await unfitOf(asked)).toMatchObject({
      reason: 'RegistryUnreachable',
      message: expect.stringMatching('own'),
    });
    expect(source.asked).toEqual([]);
  });
});

describe('docker’s own registry', () => {
  let registry: DebianRegistry;
  beforeAll(async () => {
    if (missingRegistry === undefined) registry = await startDebianRegistry('AWS', 'secret');
  });
  afterAll(() => registry?.close());
  beforeEach(({ skip }) => skip(missingRegistry !== undefined, missingRegistry));

  test('takes the wrapped image, hands it out, and is a source of images too', async () => {
    const source = await store();
    await addNode(source);
    const word = 'x'.repeat(300_000);
    await addList(source, 'demo/echo', '1', ['linux/amd64', 'linux/arm64'], {
      layers: [{ 'large.txt': word }, { b: '2' }],
    });
    const base = `http://${registry.host}`;
    const { copy, target } = copierOf(source, base);
    const copied = await copy(`${source.host}/demo/echo:1`);
    const image = await read(target);
    expect(image.digest).toBe(copied?.digest);
    expect(image.layers).toHaveLength(4);
    expect(await filesIn(image.layers[0] ?? Buffer.alloc(0))).toEqual({ 'large.txt': `file 755 ${word}` });

    const other = await store({ asks: 'basic', login: 'AWS:secret' });
    const again = copierOf(source, other.base);
    const credentials = [{ url: base, user: 'AWS', token: 'secret' }];
    await again.copy(`${registry.host}/${TARGET}:tag`, { credentials });
    expect((await read(again.target)).layers).toHaveLength(6);
    const wrong = [{ url: base, user: 'AWS', token: 'wrong' }];
    const refused = await unfitOf(again.copy(`${registry.host}/${TARGET}:tag`, { credentials: wrong }));
    expect(refused.reason).toBe('Unauthorized');
    const none = await unfitOf(again.copy(`${registry.host}/${TARGET}:none`, { credentials }));
    expect(none.reason).toBe('ImageNotFound');
  });
});
