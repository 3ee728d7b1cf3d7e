import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { digestOf, type Repository } from '../../../containers/oci/registry.ts';
import type { Table } from '../../../ports/table.ts';
import type { Guard } from '../../portable/web.ts';
import { findLayer, keepLayer } from './layer-records.ts';
import { foldersOf, NODE_IMAGE, RECIPE, storeNodeLayer } from './node-layer.ts';
import { type Architecture, FOLDER, type Layer, PROGRAM } from './wrapping.ts';

/** Told before what takes long: a word, and what is done, in words for the user. False: there is no time left for it. */
export type Next = (reason: string, message: string) => Promise<boolean>;

/** What is laid over every image for a processor. Those that carry no bytes are in the target by then. */
export type LayersFor = (
  architecture: Architecture,
  target: Repository,
  next: Next,
) => Promise<readonly Layer[] | undefined>;

export interface LayersOptions {
  readonly guard: Guard;
  readonly table: Table;
  /** The program that speaks with Lambda: one file for Node, which imports nothing but what Node brings. */
  readonly program: () => Promise<Buffer>;
  /** The image that Node is taken from; by docker's official one if not given. */
  readonly nodeImage?: string;
}

/**
 * Two layers: Node, of 45 MB, which is made once for all images of a processor, and the program, which is other bytes
 * with another version of Weft alone. Answers undefined where there was no time left to make the first.
 */
export function layersOf({ guard, table, program, nodeImage = NODE_IMAGE }: LayersOptions): LayersFor {
  let made: Promise<Layer> | undefined;
  return async (architecture, target, next) => {
    const origin = { image: nodeImage, architecture, recipe: RECIPE };
    let node = await findLayer(table, origin);
    // A repository forgets in time what no image of it has.
    if (node === undefined || !(await target.hasBlob(node.digest))) {
      if (!(await next('Preparing', 'preparing Node, which runs beside every container'))) return undefined;
      node = await storeNodeLayer(guard, nodeImage, architecture, target);
      await keepLayer(table, origin, node);
    }
    made ??= program().then(programLayer);
    return [node, await made];
  };
}

/** The same program is the same layer. */
export async function programLayer(program: Buffer): Promise<Layer> {
  const archive = pack();
  const mtime = new Date(0);
  for (const name of foldersOf(FOLDER)) archive.entry({ name, type: 'directory', mode: 0o755, mtime });
  archive.entry({ name: `${FOLDER}/${PROGRAM}`, mode: 0o644, mtime }, program);
  archive.finalize();
  const unpacked = await buffer(archive as AsyncIterable<Buffer>);
  const bytes = gzipSync(unpacked);
  return {
    bytes,
    size: bytes.length,
    digest: digestOf(bytes),
    unpacked: digestOf(unpacked),
    about: 'what runs beside',
  };
}
