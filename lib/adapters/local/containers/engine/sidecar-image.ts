import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pack } from 'tar-stream';
import { type Engine, lastLine } from './engine.ts';

/** How a sidecar's container runs Node. */
export interface SidecarImage {
  readonly name: string;
  /** Arguments of `run` that mount Node and the files of the sidecar, read-only. */
  readonly mounts: readonly string[];
  /** The path or name of Node in the container. */
  readonly node: string;
}

/** The path of the sidecar's program in its container. */
export const SIDECAR_PROGRAM = '/weft/sidecar/local.ts';

const EMPTY_IMAGE = 'localhost/weft-sidecar:1';
/** For machines whose own Node is not a Linux program. */
const NODE_IMAGE = 'docker.io/library/node:24-alpine';
const MOUNTED_NODE = '/weft/node';

function mount(path: string, target: string): string[] {
  return ['-v', `${path}:${target}:ro`];
}

/**
 * Prepares an empty image, into which the Node of this process and its shared libraries are mounted: no file is
 * downloaded or copied. Where that is not a Linux program, uses an image with Node, which may be given as `wanted`.
 * @throws Error when the engine cannot create the empty image.
 */
export async function prepareSidecarImage(engine: Engine, wanted?: string): Promise<SidecarImage> {
  const files = mount(fileURLToPath(new URL('../../../../containers/sidecar', import.meta.url)), '/weft/sidecar');
  const withNode = wanted ?? (process.platform === 'linux' ? undefined : NODE_IMAGE);
  if (withNode !== undefined) return { name: withNode, mounts: files, node: 'node' };
  const inspected = await engine.run(['image', 'inspect', EMPTY_IMAGE]);
  if (inspected.code !== 0) {
    const imported = await engine.run(['import', '-', EMPTY_IMAGE], await emptyArchive());
    if (imported.code !== 0) throw new Error(`${engine.kind} cannot make an image: ${lastLine(imported.stderr)}`);
  }
  const libraries = loadedLibraries().flatMap((path) => mount(path, path));
  const mounts = [...files, ...libraries, ...mount(realpathSync(process.execPath), MOUNTED_NODE)];
  return { name: EMPTY_IMAGE, mounts, node: MOUNTED_NODE };
}

async function emptyArchive(): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'weft', type: 'directory' });
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface Report {
  readonly sharedObjects: readonly string[];
}

/** The paths of the shared libraries that this process has loaded. */
export function loadedLibraries(): string[] {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  // With the network, the report resolves the names of all peers.
  const former = report.excludeNetwork;
  report.excludeNetwork = true;
  const { sharedObjects } = report.getReport() as Report;
  report.excludeNetwork = former;
  return sharedObjects.filter((path) => path.startsWith('/') && !path.endsWith('.node'));
}
