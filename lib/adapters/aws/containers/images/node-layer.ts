import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Header, type Pack, pack } from 'tar-stream';
import { RevisionFailedError } from '../../../../containers/errors.ts';
import { parseImageName } from '../../../../containers/oci/image-names.ts';
import { readLayer } from '../../../../containers/oci/layer-reader.ts';
import { type Descriptor, INDEX_TYPES, RejectedError, Repository } from '../../../../containers/oci/registry.ts';
import type { EgressGuard } from '../../../../egress/guard.ts';
import { UnreachableError } from '../../../../ports/callees/web.ts';
import { type Architecture, choosePlatform, FOLDER, type Layer, parseManifest } from './manifests.ts';

/** The image that Node is taken from: docker's official one in AWS's public registry, which needs no login. */
export const NODE_IMAGE = 'public.ecr.aws/docker/library/node:24-alpine';

/** The version of the recipe: to be raised whenever the same image would give another layer. */
export const RECIPE = 1;

/** The files that Node needs: their paths in the image, and the subfolder of our folder into which they are copied. */
const PARTS = [
  { path: 'usr/local/bin/node', pattern: /^usr\/local\/bin\/node$/, folder: '' },
  { path: 'lib/ld-musl-*.so.1', pattern: /^(?:usr\/)?lib\/ld-musl-[\w-]+\.so\.1$/, folder: 'lib/' },
  { path: 'usr/lib/libstdc++.so.6', pattern: /^usr\/lib\/libstdc\+\+\.so\.[\d.]+$/, folder: 'lib/' },
  { path: 'usr/lib/libgcc_s.so.1', pattern: /^usr\/lib\/libgcc_s\.so\.[\d.]+$/, folder: 'lib/' },
] as const;

const MTIME = new Date(0);

/** A part that was found; for a link also the file name of its target. */
interface FoundPart {
  readonly part: (typeof PARTS)[number];
  readonly linkTarget?: string;
}

/** From which image the layer is made, and where it is stored. */
export interface NodeLayerOptions {
  readonly guard: EgressGuard;
  readonly image: string;
  readonly architecture: Architecture;
  readonly target: Repository;
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const unusableImage = (image: string, problem: string): RevisionFailedError =>
  new RevisionFailedError('NoNode', `the image '${image}', which Node is taken from for containers, ${problem}`);

/**
 * Copies Node and its libraries from the image into one layer, which is stored in the target. It streams from one
 * registry to the other: neither is ever in memory as a whole. The same image gives the same layer.
 * @throws RevisionFailedError when the image has no usable Node, TransientError, and RejectedError when the target
 * rejects a request.
 */
export async function storeNodeLayer(options: NodeLayerOptions): Promise<Layer> {
  const { image, target } = options;
  const { repository, layers } = await openNodeImage(options);
  const [archive, gzip] = [pack(), createGzip()];
  const [unpacked, zipped] = [createHash('sha256'), createHash('sha256')];
  let size = 0;
  const count = (chunk: Buffer) => {
    size += chunk.length;
  };
  const ending = new AbortController();
  // An error at one end aborts the other; the first error counts.
  const abort = (error: Error): never => {
    ending.abort(error);
    archive.destroy(error);
    throw error;
  };
  const body = Readable.from(hashed(gzip, zipped, count), { objectMode: false });
  const build: LayerBuild = { image, archive, found: new Map(), signal: ending.signal };
  await Promise.all([
    fillArchive(build, repository, layers).catch(abort),
    pipeline(hashed(archive as AsyncIterable<Buffer>, unpacked), gzip).catch(abort),
    target.addBlob(() => toDigest(zipped), body).catch(abort),
  ]);
  return { digest: toDigest(zipped), unpacked: toDigest(unpacked), size, about: 'Node' };
}

const toDigest = (hash: Hash): string => `sha256:${hash.copy().digest('hex')}`;

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash, onChunk?: (chunk: Buffer) => void) {
  for await (const chunk of chunks) {
    hash.update(chunk);
    onChunk?.(chunk);
    yield chunk;
  }
}

/** An image that does not exist, or cannot be requested from here, is no fault of the user and not transient. */
async function openNodeImage({ guard, image, architecture }: NodeLayerOptions) {
  const parsed = parseImageName(image);
  if (parsed === undefined) throw unusableImage(image, 'has no name of an image');
  const { base, repository: name, reference } = parsed;
  const repository = new Repository({ guard, base, name, login: undefined, actions: 'pull' });
  try {
    const first = await repository.manifest(reference);
    const isIndex = INDEX_TYPES.has(first.mediaType);
    const manifest = isIndex ? await repository.manifest(choosePlatform(image, first, [architecture])) : first;
    return { repository, layers: parseManifest(image, manifest).layers };
  } catch (error) {
    if (error instanceof RejectedError || error instanceof UnreachableError)
      throw unusableImage(image, `cannot be had: ${error.message}`);
    throw error;
  }
}

/** A layer that is being built. */
interface LayerBuild {
  readonly image: string;
  readonly archive: Pack;
  /** The parts that the archive has already, by their file name. */
  readonly found: Map<string, FoundPart>;
  /** Aborted when the archive is not needed any more. */
  readonly signal: AbortSignal;
}

/** Writes all parts into the archive. The layers are read from the last to the first, because a later one overrides. */
async function fillArchive(build: LayerBuild, repository: Repository, layers: readonly Descriptor[]): Promise<void> {
  const { image, archive } = build;
  for (const name of [...foldersOf(FOLDER), `${FOLDER}/lib/`])
    archive.entry({ name, type: 'directory', mode: 0o755, mtime: MTIME });
  for (const layer of layers.toReversed()) {
    const addPart = (header: Header, content: Readable) => addIfPart(build, header, content);
    if (!(await readLayer(repository, layer, addPart)))
      throw unusableImage(image, `has a layer of the kind '${layer.mediaType}', which cannot be read here`);
  }
  const loader = checkComplete(build);
  addLink(archive, `${FOLDER}/ld.so`, `lib/${loader}`);
  archive.finalize();
}

/** The folders of a path for an archive: `a/b` has `a/` and `a/b/`. Without them, their modes are undefined. */
export function foldersOf(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`);
}

function addLink(archive: Pack, name: string, linkname: string): void {
  archive.entry({ name, type: 'symlink', linkname, mode: 0o777, mtime: MTIME });
}

async function addIfPart(
  { archive, found, signal }: LayerBuild,
  { name, type, size = 0, linkname }: Header,
  content: Readable,
): Promise<void> {
  const path = name.replace(/^(\.?\/)+/, '');
  const part = PARTS.find(({ pattern }) => pattern.test(path));
  const own = fileName(path);
  if (part === undefined || found.has(own)) return;
  const place = `${FOLDER}/${part.folder}${own}`;
  if (type === 'file') {
    found.set(own, { part });
    const entry = archive.entry({ name: place, size, mode: 0o755, mtime: MTIME });
    // The archive fails with the same error, which is handled there.
    entry.on('error', () => undefined);
    for await (const chunk of content) if (!entry.write(chunk)) await once(entry, 'drain', { signal });
    entry.end(null);
    return;
  }
  const linkTarget = fileName(linkname ?? '');
  found.set(own, { part, linkTarget });
  addLink(archive, place, linkTarget);
}

/** Checks that every part is there, and the target of every link. Returns the file name of the dynamic loader. */
function checkComplete({ image, found }: LayerBuild): string {
  const missing = PARTS.find((one) => ![...found.values()].some(({ part }) => part === one));
  if (missing !== undefined) throw unusableImage(image, `has no ${missing.path}`);
  for (const [name, { linkTarget }] of found) {
    if (linkTarget !== undefined && !found.has(linkTarget))
      throw unusableImage(image, `has '${name}' elsewhere, as '${linkTarget}'`);
  }
  return [...found.keys()].find((name) => name.startsWith('ld-')) ?? '';
}
