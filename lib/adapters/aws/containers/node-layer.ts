import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Header, type Pack, pack } from 'tar-stream';
import { placeOf } from '../../../containers/oci/image-names.ts';
import { readLayer } from '../../../containers/oci/layer-reader.ts';
import { LISTS, type Part, Refused, Repository } from '../../../containers/oci/registry.ts';
import { Unfit } from '../../../containers/oci/unsupported-image.ts';
import { UnreachableError } from '../../../ports/web.ts';
import type { Guard } from '../../portable/web.ts';
import { type Architecture, chosenFrom, FOLDER, type Layer, readManifest } from './wrapping.ts';

/** Where Node comes from: docker's official image in AWS's own registry, which asks nobody for a login. */
export const NODE_IMAGE = 'public.ecr.aws/docker/library/node:24-alpine';

/** Another number wherever the same image would give another layer. */
export const RECIPE = 1;

/** What Node runs with: where it is in its image, and in which of our folders it comes to lie. */
const PARTS = [
  { what: 'usr/local/bin/node', sign: /^usr\/local\/bin\/node$/, folder: '' },
  { what: 'lib/ld-musl-*.so.1', sign: /^(?:usr\/)?lib\/ld-musl-[\w-]+\.so\.1$/, folder: 'lib/' },
  { what: 'usr/lib/libstdc++.so.6', sign: /^usr\/lib\/libstdc\+\+\.so\.[\d.]+$/, folder: 'lib/' },
  { what: 'usr/lib/libgcc_s.so.1', sign: /^usr\/lib\/libgcc_s\.so\.[\d.]+$/, folder: 'lib/' },
] as const;

const MTIME = new Date(0);

/** A part that was found; of a link, where it leads. */
interface Found {
  readonly part: (typeof PARTS)[number];
  readonly leadsTo?: string;
}

const last = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const lacking = (image: string, what: string): Unfit =>
  new Unfit('NoNode', `the image '${image}', which Node is taken from for containers, ${what}`);

/**
 * Takes Node out of its image and stores it in the target as one layer, all of it below our folder. It streams, from
 * one registry to the other: neither is ever in memory as a whole. The same image gives the same layer. Throws Unfit
 * where there is no Node to be had, Passing, and Refused when the target refuses something.
 */
export async function storeNodeLayer(
  guard: Guard,
  image: string,
  architecture: Architecture,
  target: Repository,
): Promise<Layer> {
  const { repository, layers } = await openNode(guard, image, architecture);
  const [archive, gzip] = [pack(), createGzip()];
  const [unpacked, zipped] = [createHash('sha256'), createHash('sha256')];
  let size = 0;
  const count = (chunk: Buffer) => {
    size += chunk.length;
  };
  const ending = new AbortController();
  // What goes wrong at one end ends the other; what failed first counts.
  const end = (error: Error): never => {
    ending.abort(error);
    archive.destroy(error);
    throw error;
  };
  const body = Readable.from(watched(gzip, zipped, count), { objectMode: false });
  await Promise.all([
    fill({ archive, found: new Map(), signal: ending.signal }, image, repository, layers).catch(end),
    pipeline(watched(archive as AsyncIterable<Buffer>, unpacked), gzip).catch(end),
    target.addBlob(() => named(zipped), body).catch(end),
  ]);
  return { digest: named(zipped), unpacked: named(unpacked), size, about: 'Node' };
}

const named = (hash: Hash): string => `sha256:${hash.copy().digest('hex')}`;

async function* watched(chunks: AsyncIterable<Buffer>, hash: Hash, see?: (chunk: Buffer) => void) {
  for await (const chunk of chunks) {
    hash.update(chunk);
    see?.(chunk);
    yield chunk;
  }
}

/** No fault of the user's, but nothing that passes: there is no such image, or it cannot be asked for from here. */
async function openNode(guard: Guard, image: string, architecture: Architecture) {
  const place = placeOf(image);
  if (place === undefined) throw lacking(image, 'has no name of an image');
  const repository = new Repository(guard, place.base, place.repository, undefined, 'pull');
  try {
    const first = await repository.manifest(place.reference);
    const isList = LISTS.has(first.mediaType);
    const manifest = isList ? await repository.manifest(chosenFrom(image, first, [architecture])) : first;
    return { repository, layers: readManifest(image, manifest).layers };
  } catch (error) {
    if (error instanceof Refused || error instanceof UnreachableError)
      throw lacking(image, `cannot be had: ${error.message}`);
    throw error;
  }
}

/** An archive that is being made. */
interface Making {
  readonly archive: Pack;
  /** What is in it already, by its name. */
  readonly found: Map<string, Found>;
  /** The archive is wanted no more. */
  readonly signal: AbortSignal;
}

/** Writes all parts into the archive; what a later layer has counts more. */
async function fill(making: Making, image: string, repository: Repository, layers: readonly Part[]): Promise<void> {
  const { archive, found } = making;
  for (const name of [...foldersOf(FOLDER), `${FOLDER}/lib/`])
    archive.entry({ name, type: 'directory', mode: 0o755, mtime: MTIME });
  for (const layer of layers.toReversed()) {
    const take = (header: Header, content: Readable) => takePart(making, header, content);
    if (!(await readLayer(repository, layer, take)))
      throw lacking(image, `has a layer of the kind '${layer.mediaType}', which cannot be read here`);
  }
  const loader = check(image, found);
  link(archive, `${FOLDER}/ld.so`, `lib/${loader}`);
  archive.finalize();
}

/** `a/b` is the folders `a/` and `a/b/`: who unpacks an archive without them makes them as they like. */
export function foldersOf(path: string): string[] {
  const names = path.split('/');
  return names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`);
}

function link(archive: Pack, name: string, linkname: string): void {
  archive.entry({ name, type: 'symlink', linkname, mode: 0o777, mtime: MTIME });
}

async function takePart(
  { archive, found, signal }: Making,
  { name, type, size = 0, linkname }: Header,
  content: Readable,
): Promise<void> {
  const path = name.replace(/^(\.?\/)+/, '');
  const part = PARTS.find(({ sign }) => sign.test(path));
  const own = last(path);
  if (part === undefined || found.has(own)) return;
  const place = `${FOLDER}/${part.folder}${own}`;
  if (type === 'file') {
    found.set(own, { part });
    const entry = archive.entry({ name: place, size, mode: 0o755, mtime: MTIME });
    // Its archive fails with it, which is told there.
    entry.on('error', () => undefined);
    for await (const chunk of content) if (!entry.write(chunk)) await once(entry, 'drain', { signal });
    entry.end(null);
    return;
  }
  const leadsTo = last(linkname ?? '');
  found.set(own, { part, leadsTo });
  link(archive, place, leadsTo);
}

/** Every part is there, and every link leads to one of them; answers the name of the loader. */
function check(image: string, found: ReadonlyMap<string, Found>): string {
  const missing = PARTS.find((one) => ![...found.values()].some(({ part }) => part === one));
  if (missing !== undefined) throw lacking(image, `has no ${missing.what}`);
  for (const [name, { leadsTo }] of found) {
    if (leadsTo !== undefined && !found.has(leadsTo)) throw lacking(image, `has '${name}' elsewhere, as '${leadsTo}'`);
  }
  return [...found.keys()].find((name) => name.startsWith('ld-')) ?? '';
}
