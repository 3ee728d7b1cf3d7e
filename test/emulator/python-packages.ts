import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALLING_MS = 120_000;

/** Something that the tests use cannot be had on this machine, and why. */
export class UnavailableError extends Error {}

const lastLine = (error: unknown): string => {
  const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
  return (stderr?.trim() || message).split('\n').at(-1) ?? '';
};

export interface Installed {
  readonly python: string;
  /** The folder of its packages. */
  readonly packages: string;
}

/** Installs a pinned Python package into a folder of its own, once for all later tests. Throws Unavailable. */
export async function installPackage(name: string): Promise<Installed> {
  const asked = ['-c', 'import sys; print(sys.executable, "%d.%d" % sys.version_info[:2], sep="\\n")'];
  const found = await run('python3', asked).catch((error: unknown) => {
    throw new UnavailableError(`there is no python3: ${lastLine(error)}`);
  });
  const [python = '', version = ''] = found.stdout.split('\n');
  const packages = join(tmpdir(), `weft-${name.replace('==', '-')}-python-${version}`);
  if (!existsSync(packages)) await fill(packages, python, name);
  return { python, packages };
}

async function fill(folder: string, python: string, name: string): Promise<void> {
  const partial = await mkdtemp(`${folder}-`);
  const flags = ['--quiet', '--disable-pip-version-check', '--only-binary=:all:', '--timeout=10', '--retries=1'];
  try {
    await run(python, ['-m', 'pip', 'install', ...flags, '--target', partial, name], { timeout: INSTALLING_MS });
    // Another test may have been quicker.
    await rename(partial, folder).catch(() => rm(partial, { recursive: true }));
  } catch (error) {
    await rm(partial, { recursive: true });
    throw new UnavailableError(`pip could not install ${name}: ${lastLine(error)}`);
  }
}
