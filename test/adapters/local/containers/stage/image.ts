/** Images for tests, made without a network: this machine's Node, the libraries it loads, and a function in one file. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pack } from 'tar-stream';
import { type Engine, findEngine } from '../../../../../lib/adapters/local/containers/engine.ts';
import { findRunFlags } from '../../../../../lib/adapters/local/containers/run-flags.ts';
import { loadedLibraries, makeSidecarImage } from '../../../../../lib/adapters/local/containers/sidecar-image.ts';

/** The same files are the same archive. */
const SOME_TIME = new Date(0);
export const ENTRYPOINT = ['/node', '/function.mjs'];
const FUNCTION = fileURLToPath(new URL('./function.mjs', import.meta.url));

/** The engine that runs containers here, or why none does, in words for a skipped test. */
export async function engineForTests(): Promise<Engine | string> {
  const engine = await findEngine();
  if ('problem' in engine) return engine.problem;
  const found = await findRunFlags(engine, await makeSidecarImage(engine), []);
  return 'problem' in found ? found.problem : engine;
}

/** What is in an archive, by its name: the bytes of a file, where a link leads, or nothing for a directory. */
export type Files = Readonly<Record<string, string | Buffer | { readonly link: string } | undefined>>;

/** Files as a tar archive. */
export async function archiveOf(files: Files): Promise<Buffer> {
  const archive = pack();
  for (const [name, bytes] of Object.entries(files)) {
    if (bytes === undefined) archive.entry({ name, type: 'directory', mtime: SOME_TIME });
    else if (typeof bytes === 'object' && 'link' in bytes)
      archive.entry({ name, type: 'symlink', linkname: bytes.link, mtime: SOME_TIME });
    else archive.entry({ name, mode: 0o755, mtime: SOME_TIME }, bytes);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** All that is in the test image, as a tar archive. */
export function testImageFiles(): Promise<Buffer> {
  const paths = loadedLibraries().map((path) => [path.slice(1), readFileSync(path)]);
  const node = readFileSync(realpathSync(process.execPath));
  return archiveOf({ ...Object.fromEntries(paths), node, 'function.mjs': readFileSync(FUNCTION), tmp: undefined });
}

/** The name of the test image; it is made once, and stays in the engine until its parts change. */
export async function makeTestImage({ program }: Engine): Promise<string> {
  const script = readFileSync(FUNCTION);
  const hash = createHash('sha256').update(script).update(process.version).digest('hex').slice(0, 12);
  const name = `localhost/weft-test:${hash}`;
  if (spawnSync(program, ['image', 'inspect', name]).status === 0) return name;
  const archive = await testImageFiles();
  const changes = [`ENTRYPOINT ${JSON.stringify(ENTRYPOINT)}`, 'ENV GREETING=hello'].flatMap((change) => [
    '--change',
    change,
  ]);
  execFileSync(program, ['import', ...changes, '-', name], { input: archive, stdio: ['pipe', 'ignore', 'pipe'] });
  return name;
}
