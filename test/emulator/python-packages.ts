import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_INSTALL_MS = 120_000;

/** A tool of the tests cannot be installed on this machine. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

const lastLine = (error: unknown): string => {
  const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
  return (stderr?.trim() || message).split('\n').at(-1) ?? '';
};

/** A Python package and its dependencies. */
export interface InstalledPackage {
  /** The path of the interpreter. */
  readonly python: string;
  /** The folder of the packages. */
  readonly packages: string;
}

/**
 * Installs a package, `name==version`, into a temporary folder, where later tests find it.
 * @throws UnavailableError without Python or a package index.
 */
export async function installPackage(name: string): Promise<InstalledPackage> {
  const args = ['-c', 'import sys; print(sys.executable, "%d.%d" % sys.version_info[:2], sep="\\n")'];
  const found = await run('python3', args).catch((error: unknown) => {
    throw new UnavailableError(`there is no python3: ${lastLine(error)}`);
  });
  const [python = '', version = ''] = found.stdout.split('\n');
  const packages = join(tmpdir(), `weft-${name.replace('==', '-')}-python-${version}`);
  if (!existsSync(packages)) await installInto(packages, python, name);
  return { python, packages };
}

async function installInto(folder: string, python: string, name: string): Promise<void> {
  const partial = await mkdtemp(`${folder}-`);
  const flags = ['--quiet', '--disable-pip-version-check', '--only-binary=:all:', '--timeout=10', '--retries=1'];
  try {
    await run(python, ['-m', 'pip', 'install', ...flags, '--target', partial, name], { timeout: MAX_INSTALL_MS });
    // Another process may have installed it meanwhile.
    await rename(partial, folder).catch(() => rm(partial, { recursive: true }));
  } catch (error) {
    await rm(partial, { recursive: true });
    throw new UnavailableError(`pip could not install ${name}: ${lastLine(error)}`);
  }
}
