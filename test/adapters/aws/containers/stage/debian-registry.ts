/** The registry that Debian packages, which is docker's own, on loopback. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why it cannot be used here, in words for a skipped test; undefined: it can. */
export const missingRegistry: string | undefined =
  spawnSync('docker-registry', ['--version']).status === 0 && spawnSync('htpasswd', ['-nbB', 'a', 'b']).status === 0
    ? undefined
    : 'docker-registry and htpasswd are not installed';

export interface DebianRegistry {
  readonly host: string;
  close(): Promise<void>;
}

/** It lets in whoever comes with the login, by a user and a password. */
export async function startDebianRegistry(user: string, token: string): Promise<DebianRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-registry-'));
  writeFileSync(join(folder, 'users'), spawnSync('htpasswd', ['-nbB', user, token], { encoding: 'utf8' }).stdout);
  const configuration = {
    version: 0.1,
    storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
    http: { addr: '127.0.0.1:0' },
    auth: { htpasswd: { realm: 'test', path: join(folder, 'users') } },
  };
  writeFileSync(join(folder, 'config.yml'), JSON.stringify(configuration));
  const child = spawn('docker-registry', ['serve', join(folder, 'config.yml')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const host = await new Promise<string>((resolve, reject) => {
    let words = '';
    child.stderr.on('data', (chunk: Buffer) => {
      words += chunk;
      const [, found] = /listening on (127\.0\.0\.1:\d+)/.exec(words) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`docker-registry ended: ${words}`)));
  });
  return {
    host,
    close: async () => {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
