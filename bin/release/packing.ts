import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { notices } from '../licenses/notices.ts';
import { contentProblems, filesWith, type Packed } from './contents.ts';
import { publishedManifest } from './manifest.ts';
import { manifestOf } from './repository.ts';
import { bomOf } from './sbom.ts';

/** The folder of the clone. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where a release is made. */
export const FOLDER = join(ROOT, 'release');
const STAGE = join(FOLDER, 'package');

/** The texts of the package; bin/weft.mjs starts the program of its dist. */
const COPIED = ['bin/weft.mjs', 'README.md', 'CHANGELOG.md', 'LICENSE'];

/** Makes the folder of the package as it is published, in place of an older one. Throws what the bundlers print. */
export async function stage(): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(join(STAGE, 'bin'), { recursive: true });
  // In a process of its own, because CDK prints each function that it bundles.
  const program = [join(ROOT, 'bin', 'bundle.ts'), join(STAGE, 'dist')];
  await promisify(execFile)(process.execPath, program, { env: { ...process.env, CDK_VALIDATION: 'false' } });
  for (const path of COPIED) copyFileSync(join(ROOT, path), join(STAGE, path));
  writeFileSync(join(STAGE, 'THIRD-PARTY-NOTICES.txt'), notices());
  writeFileSync(join(STAGE, 'package.json'), `${JSON.stringify(publishedManifest(manifestOf(ROOT)), null, 2)}\n`);
}

/** Packs the folder. The archive lies beside it. */
export function pack(): Packed {
  const args = ['pack', '--json', '--pack-destination', FOLDER];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: STAGE, encoding: 'utf8' })) as readonly Packed[];
  if (packed === undefined) throw new Error('npm pack has packed nothing');
  return packed;
}

/** The problems of the contents of the package; empty if there are none. */
export function packedProblems(packed: Packed): string[] {
  const contents = new Map(packed.files.map(({ path }) => [path, readFileSync(join(STAGE, path), 'latin1')]));
  const local = filesWith(ROOT, contents);
  return [...contentProblems(packed), ...local.map((path) => `${path} contains the path of the clone, ${ROOT}`)];
}

/** Writes the software bill of materials beside the archive. Returns how many packages it names. */
export function writeBom({ filename }: Packed): number {
  const bom = bomOf(ROOT, manifestOf(ROOT).name);
  writeFileSync(join(FOLDER, filename.replace(/\.tgz$/, '.cdx.json')), `${JSON.stringify(bom, null, 1)}\n`);
  return bom.components.length;
}
