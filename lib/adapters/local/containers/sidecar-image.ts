import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pack } from 'tar-stream';
import { type Engine, lastLine } from './engine.ts';

/** How to run Node in a container. */
export interface SidecarImage {
  readonly name: string;
  /** Words of `run` that bring Node and the sidecar's files into the container, read-only. */
  readonly mounts: readonly string[];
  readonly node: string;
}

/** The sidecar's program inside its container. */
export const SIDECAR_PROGRAM = '/weft/beside/local.ts';

const EMPTY_IMAGE = 'localhost/weft-sidecar:1';
/** For machines whose own Node is no Linux program. */
const NODE_IMAGE = 'docker.io/library/node:24-alpine';
const INSIDE_NODE = '/weft/node';

function mount(path: string, inside: string): string[] {
  return ['-v', `${path}:${inside}:ro`];
}

/**
 * An image that holds nothing, into which this process's own Node and the libraries it has loaded are mounted: nothing
 * is downloaded, nothing is copied. Where that is no Linux program, an image with Node is needed, which may be named.
 */
export async function makeSidecarImage(engine: Engine, wanted?: string): Promise<SidecarImage> {
  const files = mount(fileURLToPath(new URL('../../../containers/sidecar', import.meta.url)), '/weft/beside');
  const ready = wanted ?? (process.platform === 'linux' ? undefined : NODE_IMAGE);
  if (ready !== undefined) return { name: ready, mounts: files, node: 'node' };
  const isThere = await engine.run(['image', 'inspect', EMPTY_IMAGE]);
  if (isThere.code !== 0) {
    const made = await engine.run(['import', '-', EMPTY_IMAGE], await emptyImage());
    if (made.code !== 0) throw new Error(`${engine.kind} cannot make an image: ${lastLine(made.stderr)}`);
  }
  const libraries = loadedLibraries().flatMap((path) => mount(path, path));
  const mounts = [...files, ...libraries, ...mount(realpathSync(process.execPath), INSIDE_NODE)];
  return { name: EMPTY_IMAGE, mounts, node: INSIDE_NODE };
}

async function emptyImage(): Promise<Buffer> {
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

/** The shared libraries that this process runs with. */
export function loadedLibraries(): string[] {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  // The names of the peers of open connections would be asked for otherwise.
  const former = report.excludeNetwork;
  report.excludeNetwork = true;
  const { sharedObjects } = report.getReport() as Report;
  report.excludeNetwork = former;
  return sharedObjects.filter((path) => path.startsWith('/') && !path.endsWith('.node'));
}
