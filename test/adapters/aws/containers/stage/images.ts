/** Images in a store, as docker and others push them. */
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { archiveOf, type Files } from '../../../local/containers/stage/image.ts';
import { addManifest, digestOf, type Store } from './store.ts';

const KINDS = {
  docker: {
    manifest: 'application/vnd.docker.distribution.manifest.v2+json',
    list: 'application/vnd.docker.distribution.manifest.list.v2+json',
    config: 'application/vnd.docker.container.image.v1+json',
    layer: 'application/vnd.docker.image.rootfs.diff.tar',
    mark: '.',
  },
  oci: {
    manifest: 'application/vnd.oci.image.manifest.v1+json',
    list: 'application/vnd.oci.image.index.v1+json',
    config: 'application/vnd.oci.image.config.v1+json',
    layer: 'application/vnd.oci.image.layer.v1.tar',
    mark: '+',
  },
} as const;

/** How layers are stored, by the end of their media type. */
const ZIPS = {
  gzip: (archive: Buffer) => gzipSync(archive),
  zstd: (archive: Buffer) => zstdCompressSync(archive),
  '': (archive: Buffer) => archive,
  lzma: (archive: Buffer) => archive,
} as const;

export interface Made {
  readonly kind?: keyof typeof KINDS;
  readonly architecture?: string;
  readonly os?: string;
  /** One layer each. */
  readonly layers?: readonly Files[];
  readonly zip?: keyof typeof ZIPS;
  readonly config?: object;
}

export interface Description {
  readonly mediaType: string;
  readonly size: number;
  readonly digest: string;
}

function keep(store: Store, mediaType: string, bytes: Buffer): Description {
  const digest = digestOf(bytes);
  store.blobs.set(digest, bytes);
  return { mediaType, size: bytes.length, digest };
}

/** An image as a store has it, under a tag; answers the digest of its manifest. */
export async function addImage(store: Store, name: string, tag: string, made: Made = {}): Promise<Description> {
  const {
    kind = 'docker',
    architecture = 'amd64',
    os = 'linux',
    layers = [{ 'word.txt': 'word' }],
    zip = 'gzip',
  } = made;
  const types = KINDS[kind];
  const layerType = types.layer + (zip === '' ? '' : types.mark + zip);
  const archives = await Promise.all(layers.map((files) => archiveOf(files)));
  const config = Buffer.from(
    JSON.stringify({
      architecture,
      os,
      created: '2026-01-01T00:00:00Z',
      config: made.config ?? { Entrypoint: ['/run'], Cmd: ['serve'], Env: ['A=1', 'B=2'], WorkingDir: '/w', User: '7' },
      rootfs: { type: 'layers', diff_ids: archives.map(digestOf) },
      history: archives.map(() => ({ created_by: 'COPY' })),
    }),
  );
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: keep(store, types.config, config),
      layers: archives.map((archive) => keep(store, layerType, ZIPS[zip](archive))),
    }),
  );
  addManifest(store, name, tag, types.manifest, manifest);
  return { mediaType: types.manifest, size: manifest.length, digest: digestOf(manifest) };
}

/** A list of images for several platforms, `linux/arm64`, under a tag. */
export async function addList(
  store: Store,
  name: string,
  tag: string,
  platforms: readonly string[],
  made: Made = {},
): Promise<void> {
  const images = platforms.map(async (platform) => {
    const [os = '', architecture = ''] = platform.split('/');
    const image = await addImage(store, name, `${tag}-${os}-${architecture}`, { ...made, os, architecture });
    return { ...image, platform: { os, architecture } };
  });
  const mediaType = KINDS[made.kind ?? 'docker'].list;
  const manifests = await Promise.all(images);
  addManifest(store, name, tag, mediaType, Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests })));
}

export const NODE = 'docker/library/node';

/** What of docker's image of Node on Alpine is of interest, the layer of Alpine first. */
export const NODE_LAYERS: readonly Files[] = [
  {
    'bin/busybox': 'busybox',
    'lib/ld-musl-x86_64.so.1': 'loader',
    'lib/libc.musl-x86_64.so.1': { link: 'ld-musl-x86_64.so.1' },
    'usr/lib/libz.so.1': 'zlib',
  },
  {
    'usr/lib/libgcc_s.so.1': 'gcc',
    'usr/lib/libstdc++.so.6': { link: 'libstdc++.so.6.0.33' },
    'usr/lib/libstdc++.so.6.0.33': 'c++',
    'usr/local/bin/node': 'node',
    'usr/local/bin/nodejs': { link: 'node' },
  },
];

/** Node's image, for both processors. */
export async function addNode(store: Store, made: Made = {}): Promise<void> {
  await addList(store, NODE, '1', ['linux/amd64', 'linux/arm64'], {
    kind: 'oci',
    layers: NODE_LAYERS,
    config: {},
    ...made,
  });
}

/** What is in a zipped layer: of each name its type, its mode, and its content or where it leads. */
export async function filesIn(layer: Buffer): Promise<Record<string, string>> {
  const archive = extract();
  archive.end(gunzipSync(layer));
  const files: Record<string, string> = {};
  for await (const entry of archive) {
    const { name, type, mode, linkname } = entry.header;
    files[name] = `${type} ${mode?.toString(8)} ${linkname ?? (await buffer(entry)).toString()}`;
    entry.resume();
  }
  return files;
}
