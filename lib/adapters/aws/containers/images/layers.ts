import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { digestOf, type Repository } from '../../../../containers/oci/registry.ts';
import type { EgressGuard } from '../../../../egress/guard.ts';
import type { Table } from '../../../../ports/table.ts';
import { findLayer, recordLayer } from './layer-records.ts';
import { type Architecture, FOLDER, type Layer, PROGRAM } from './manifests.ts';
import { foldersOf, NODE_IMAGE, RECIPE, storeNodeLayer } from './node-layer.ts';

/**
 * Called before an operation that takes long, with the reason of the condition and a message for the user. Resolves
 * with false when no time is left for the operation.
 */
export type OnProgress = (reason: string, message: string) => Promise<boolean>;

/**
 * The layers that are added to every image of an architecture. Those without bytes are in the target already.
 * Undefined: no time was left to make them.
 */
export type LayerSource = (
  architecture: Architecture,
  target: Repository,
  onProgress: OnProgress,
) => Promise<readonly Layer[] | undefined>;

/** The options of the layers. */
export interface LayersOptions {
  readonly guard: EgressGuard;
  readonly table: Table;
  /** Reads the bundle of the sidecar: one file for Node, which imports only built-in modules. */
  readonly program: () => Promise<Buffer>;
  /** The image that Node is taken from; docker's official image if not given. */
  readonly nodeImage?: string;
}

/**
 * Makes two layers: Node, 45 MB, once for all images of an architecture, and the sidecar, which differs only between
 * versions of Weft.
 */
export function createLayerSource({ guard, table, program, nodeImage = NODE_IMAGE }: LayersOptions): LayerSource {
  let programLayer: Promise<Layer> | undefined;
  return async (architecture, target, onProgress) => {
    const origin = { image: nodeImage, architecture, recipe: RECIPE };
    let node = await findLayer(table, origin);
    // The repository removes blobs that no image refers to.
    if (node === undefined || !(await target.hasBlob(node.digest))) {
      if (!(await onProgress('Preparing', 'preparing Node, which runs beside every container'))) return undefined;
      node = await storeNodeLayer({ guard, image: nodeImage, architecture, target });
      await recordLayer(table, origin, node);
    }
    programLayer ??= program().then(packProgram);
    return [node, await programLayer];
  };
}

/** The layer with the sidecar. The same program gives the same digest. */
async function packProgram(program: Buffer): Promise<Layer> {
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
