import { availableParallelism } from 'node:os';
import { type Engine, lastLine } from './engine.ts';
import type { SidecarImage } from './sidecar-image.ts';

/** Arguments of `run` with which containers start on this machine. */
export interface RunFlags {
  readonly always: readonly string[];
  readonly network: readonly string[];
  /** The flags that restrict the rights of every container. */
  readonly rights: readonly string[];
  /** By the size of a revision: small, medium, large. */
  readonly limits: readonly [readonly string[], readonly string[], readonly string[]];
}

/** Processes and threads of a container. */
const MAX_PROCESSES = 512;

function limit(mebibytes: number, cores: number): string[] {
  const processes = ['--pids-limit', String(MAX_PROCESSES)];
  return ['--memory', `${mebibytes}m`, '--cpus', String(Math.min(cores, availableParallelism())), ...processes];
}

const LIMITS: RunFlags['limits'] = [limit(512, 0.5), limit(1024, 1), limit(2048, 2)];
const NO_LIMITS: RunFlags['limits'] = [[], [], []];
const RIGHTS = ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
const ULIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];

/** A feature that a machine may lack: how the engine reports it, and the flags without it. */
interface Fallback {
  readonly pattern: RegExp;
  readonly apply: (flags: RunFlags) => RunFlags;
  /** The limitation of containers without the feature, for a warning. */
  readonly limitation?: string;
}

const FALLBACKS: readonly Fallback[] = [
  { pattern: /rlimit/i, apply: (flags) => ({ ...flags, always: [...flags.always, ...ULIMITS] }) },
  {
    pattern: /cgroup|cpu|memory|pids/i,
    apply: (flags) => ({ ...flags, limits: NO_LIMITS }),
    limitation: 'no limits of memory, processor and processes: the sizes of services do nothing',
  },
  {
    pattern: /network|netns|netavark|\bcni\b|slirp|pasta|iptables|nft|bridge/i,
    apply: (flags) => ({ ...flags, network: ['--network', 'none'] }),
    limitation: 'no network but their own localhost',
  },
  { pattern: /crun/i, apply: (flags) => ({ ...flags, always: [...flags.always, '--runtime', 'runc'] }) },
];

/** The flags that work on this machine, and the limitations of containers with them; or the problem for the user. */
export type DetectedFlags =
  | { readonly flags: RunFlags; readonly limitations: readonly string[] }
  | { readonly problem: string };

/** The flags that are wanted: those of the user, and those of a network. */
export interface WantedFlags {
  readonly always: readonly string[];
  readonly network: readonly string[];
}

const NOTHING_WANTED: WantedFlags = { always: [], network: [] };

/** Detects the flags by running a container with the wanted ones, and with fallbacks until it works. */
export async function detectRunFlags(
  engine: Engine,
  image: SidecarImage,
  wanted = NOTHING_WANTED,
): Promise<DetectedFlags> {
  let flags: RunFlags = { ...wanted, rights: RIGHTS, limits: LIMITS };
  const left = new Set(FALLBACKS);
  const limitations: string[] = [];
  for (;;) {
    const args = [...flags.always, ...flags.network, ...flags.rights, ...flags.limits[2], ...image.mounts];
    const { code, stderr } = await engine.run([
      ...['run', '--rm', '--read-only'],
      ...[...args, image.name, image.node, '--version'],
    ]);
    if (code === 0) return { flags, limitations };
    const fallback = [...left].find(({ pattern }) => pattern.test(stderr));
    if (fallback === undefined) {
      const problem = `container services need ${engine.kind} to run containers, which it does not: ${lastLine(stderr)}`;
      return { problem };
    }
    left.delete(fallback);
    flags = fallback.apply(flags);
    if (fallback.limitation !== undefined) limitations.push(fallback.limitation);
  }
}
