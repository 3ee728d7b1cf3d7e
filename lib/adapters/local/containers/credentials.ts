import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RegistryCredentials } from '../../../ports/containers.ts';

const DOCKER_HUB = 'docker.io';
/** What docker's own program calls its registry. */
const DOCKER_HUB_KEY = 'https://index.docker.io/v1/';

/**
 * Lends a folder with a `config.json` that opens one registry, readable by this user alone, for as long as the task
 * runs. Without credentials it opens none: what this machine's user is logged in to is not for the namespaces.
 */
export async function withLogin<T>(
  host: string,
  credentials: RegistryCredentials | undefined,
  task: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-login-'));
  try {
    const entry = credentials && { auth: Buffer.from(`${credentials.user}:${credentials.token}`).toString('base64') };
    const keys = host === DOCKER_HUB ? [host, DOCKER_HUB_KEY] : [host];
    const auths = entry ? Object.fromEntries(keys.map((key) => [key, entry])) : {};
    await writeFile(join(folder, 'config.json'), JSON.stringify({ auths }), { mode: 0o600 });
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
