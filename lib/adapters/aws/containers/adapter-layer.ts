import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import type { Guard } from '../web.ts';
import { placeOf } from './image-names.ts';
import { digestOf, LISTS, Repository } from './registry.ts';
import { type Architecture, type Layer, readManifest } from './wrapping.ts';

/**
 * AWS's Lambda Web Adapter: a static program that Lambda starts beside the container's own. It takes calls from Lambda
 * and makes requests to localhost:8080 of them (aws-facts 1.4).
 */
export const ADAPTER_IMAGE = 'public.ecr.aws/awsguru/aws-lambda-adapter:0.9.1';

/** The program has about 5 MB. */
const MOST_BYTES = 64 * 1024 * 1024;

const INSIDE = 'lambda-adapter';
/** Lambda starts every program in this folder. */
const EXTENSIONS = ['opt/', 'opt/extensions/'];

/** Makes the layer that lays the adapter into an image, from the image in which AWS hands it out. Each is made once. */
export function adapterLayers(guard: Guard, image = ADAPTER_IMAGE): (architecture: Architecture) => Promise<Layer> {
  const made = new Map<Architecture, Promise<Layer>>();
  return (architecture) => {
    const layer = made.get(architecture) ?? makeLayer(guard, image, architecture);
    made.set(architecture, layer);
    layer.catch(() => made.delete(architecture));
    return layer;
  };
}

async function makeLayer(guard: Guard, image: string, architecture: Architecture): Promise<Layer> {
  const place = placeOf(image);
  if (place === undefined) throw new Error(`'${image}' is no name of an image`);
  const repository = new Repository(guard, place.base, place.repository, undefined, 'pull');
  const first = await repository.manifest(place.reference);
  const manifest = LISTS.has(first.mediaType) ? await repository.manifest(digestIn(first.bytes, architecture)) : first;
  for (const { digest } of readManifest(image, manifest).layers.toReversed()) {
    const program = await programIn(await repository.smallBlob(digest, MOST_BYTES));
    if (program !== undefined) return layerOf(program);
  }
  throw new Error(`there is no program ${INSIDE} in '${image}'`);
}

function digestIn(list: Buffer, wanted: Architecture): string {
  const { manifests } = JSON.parse(list.toString('utf8')) as {
    readonly manifests: readonly { readonly digest: string; readonly platform?: { readonly architecture?: string } }[];
  };
  const found = manifests.find(({ platform }) => platform?.architecture === wanted);
  if (found === undefined) throw new Error(`the adapter is not there for ${wanted}`);
  return found.digest;
}

const GZIP = 0x1f;

async function programIn(stored: Buffer): Promise<Buffer | undefined> {
  const archive = extract();
  archive.end(stored[0] === GZIP ? gunzipSync(stored) : stored);
  for await (const entry of archive) {
    const content = await buffer(entry as AsyncIterable<Buffer>);
    if (entry.header.type === 'file' && entry.header.name.replace(/^(\.?\/)+/, '') === INSIDE) return content;
  }
  return undefined;
}

async function layerOf(program: Buffer): Promise<Layer> {
  const archive = pack();
  const mtime = new Date(0);
  for (const name of EXTENSIONS) archive.entry({ name, type: 'directory', mode: 0o755, mtime });
  archive.entry({ name: `${EXTENSIONS.at(-1)}${INSIDE}`, mode: 0o755, mtime }, program);
  archive.finalize();
  const unpacked = await buffer(archive as AsyncIterable<Buffer>);
  const bytes = gzipSync(unpacked);
  return { bytes, digest: digestOf(bytes), unpacked: digestOf(unpacked) };
}
