/** Images in a store, as docker and others push them. */
import { gzipSync } from 'node:zlib';
import { archiveOf } from '../containers/image.ts';
import { addManifest, digestOf, type Store } from './store.ts';

const KINDS = {
  docker: {
    manifest: 'application/vnd.docker.distribution.manifest.v2+json',
    list: 'application/vnd.docker.distribution.manifest.list.v2+json',
    config: 'application/vnd.docker.container.image.v1+json',
    layer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
  },
  oci: {
    manifest: 'application/vnd.oci.image.manifest.v1+json',
    list: 'application/vnd.oci.image.index.v1+json',
    config: 'application/vnd.oci.image.config.v1+json',
    layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  },
} as const;

export interface Made {
  readonly kind?: keyof typeof KINDS;
  readonly architecture?: string;
  readonly os?: string;
  /** One layer each. */
  readonly layers?: readonly Readonly<Record<string, string | Buffer | undefined>>[];
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
  const { kind = 'docker', architecture = 'amd64', os = 'linux', layers = [{ 'word.txt': 'word' }] } = made;
  const types = KINDS[kind];
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
      layers: archives.map((archive) => keep(store, types.layer, gzipSync(archive))),
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

export const ADAPTER = 'awsguru/aws-lambda-adapter';

/** What AWS hands its adapter out in, for both processors. */
export async function addAdapter(store: Store, program: Buffer = Buffer.from('adapter')): Promise<void> {
  const platforms = ['linux/amd64', 'linux/arm64'];
  await addList(store, ADAPTER, '1', platforms, { layers: [{ 'lambda-adapter': program }], config: {} });
}
