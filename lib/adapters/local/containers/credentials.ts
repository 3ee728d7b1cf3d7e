import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DOCKER_HUB } from '../../../containers/oci/image-names.ts';
import type { RegistryCredentials } from '../../../ports/containers.ts';

/** The key of Docker Hub in docker's own configuration. */
const DOCKER_HUB_KEY = 'https://index.docker.io/v1/';

/**
 * Runs a task with a folder whose `config.json` has the credentials of one registry, readable by this user only.
 * Without credentials it has none: the logins of this machine's user are not for the namespaces.
 */
export async function withAuthFile<T>(
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
