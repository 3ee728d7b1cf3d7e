import { spawn } from 'node:child_process';
import type { Engine } from './engine.ts';

/** What our containers are known by. Functions use a sidecar's network, so they go first. */
const ROLES = ['function', 'sidecar'] as const;
export type Role = (typeof ROLES)[number];

const INSTALLATION = 'weft.installation';
const PROCESS = 'weft.process';
const ROLE = 'weft.role';

/** Whose containers they are: an installation's (its data folder), and of those one process's. */
export interface Owner {
  readonly installation: string;
  readonly process: string;
}

/** Words of `run` that mark a container as ours. */
export function labels({ installation, process }: Owner, role: Role): string[] {
  const pairs = [`${INSTALLATION}=${installation}`, `${PROCESS}=${process}`, `${ROLE}=${role}`];
  return pairs.flatMap((pair) => ['--label', pair]);
}

/** Removes all containers of the installation, whichever process made them. */
export async function removeLeftovers(engine: Engine, { installation }: Owner): Promise<void> {
  for (const role of ROLES) {
    const filters = ['--filter', `label=${INSTALLATION}=${installation}`, '--filter', `label=${ROLE}=${role}`];
    const { stdout } = await engine.run(['ps', '-a', '-q', ...filters]);
    const ids = stdout.split(/\s+/).filter((id) => id !== '');
    if (ids.length > 0) await engine.run([...engine.remove, ...ids]);
  }
}

/**
 * Waits for the end of our pipe, which the system closes when we die, and removes this process's containers; twice, as
 * one may just have been on its way.
 */
const SCRIPT = `label=$1; shift
read -r line
for round in 1 2; do
  for role in ${ROLES.join(' ')}; do
    ids=$("$0" ps -a -q --filter "label=${PROCESS}=$label" --filter "label=${ROLE}=$role")
    [ -z "$ids" ] || "$0" "$@" $ids
  done
  sleep 2
done`;

/** Sees to it that containers do not outlive this process, even when it is killed. Dismiss it when none is left. */
export function spawnGuard(engine: Engine, { process }: Owner): { dismiss(): void } {
  const child = spawn('/bin/sh', ['-c', SCRIPT, engine.program, process, ...engine.remove], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // It is a second line of defence: the next start removes leftovers too.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  return { dismiss: () => void child.kill('SIGKILL') };
}
