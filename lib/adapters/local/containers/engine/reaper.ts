import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, lastLine } from './engine.ts';

/** The roles of Weft's containers. Functions use the network of a sidecar, so they are removed first. */
const ROLES = ['function', 'sidecar'] as const;
/** The role of a container in its pod. */
export type ContainerRole = (typeof ROLES)[number];

/** The label of the containers and networks of an installation. */
export const INSTALLATION = 'weft.installation';
const PROCESS = 'weft.process';
const ROLE = 'weft.role';

const RETRY_MS = 1_000;
const MAX_ATTEMPTS = 10;

/** The installation (its data folder) and the process that containers belong to. */
export interface ContainerOwner {
  readonly installation: string;
  readonly process: string;
}

/** Arguments of `run` that label a container with its owner and role. */
export function labels({ installation, process }: ContainerOwner, role: ContainerRole): string[] {
  const pairs = [`${INSTALLATION}=${installation}`, `${PROCESS}=${process}`, `${ROLE}=${role}`];
  return pairs.flatMap((pair) => ['--label', pair]);
}

/**
 * Removes all containers of the installation, of any process.
 * @throws Error when the engine cannot list or remove them, after some retries.
 */
export async function removeOrphans(engine: Engine, { installation }: ContainerOwner): Promise<void> {
  for (const role of ROLES) {
    const filters = ['--filter', `label=${INSTALLATION}=${installation}`, '--filter', `label=${ROLE}=${role}`];
    let problem = '';
    for (let attempt = 1; ; attempt += 1) {
      const listed = await engine.run(['ps', '-a', '-q', ...filters]);
      const ids = listed.stdout.split(/\s+/).filter((id) => id !== '');
      if (listed.code === 0 && ids.length === 0) break;
      const { stderr } = listed.code === 0 ? await engine.run([...engine.remove, ...ids]) : listed;
      problem = lastLine(stderr) || problem;
      if (attempt >= MAX_ATTEMPTS) throw new Error(`${engine.kind} cannot remove containers of Weft: ${problem}`);
      if (attempt > 1 || listed.code !== 0) await sleep(RETRY_MS);
    }
  }
}

/**
 * Waits for the end of its standard input, which the system closes when this process ends, however it ends. Then it
 * removes the containers of this process until it finds none twice in a row: one may still be starting.
 */
const SCRIPT = `label=$1; shift
read -r line
round=0; empty=0
while [ $round -lt 30 ] && [ $empty -lt 2 ]; do
  round=$((round + 1)); found=
  for role in ${ROLES.join(' ')}; do
    ids=$("$0" ps -a -q --filter "label=${PROCESS}=$label" --filter "label=${ROLE}=$role") || found=1
    [ -z "$ids" ] || { found=1; "$0" "$@" $ids; }
  done
  [ -z "$found" ] && empty=$((empty + 1)) || empty=0
  sleep 2
done`;

/** Starts a process that removes this process's containers after its end, even when it is killed. */
export function spawnReaper(engine: Engine, { process }: ContainerOwner): { dismiss(): void } {
  const child = spawn('/bin/sh', ['-c', SCRIPT, engine.program, process, ...engine.remove], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without the reaper, the next start removes orphans too.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  return { dismiss: () => void child.kill('SIGKILL') };
}
