import { availableParallelism } from 'node:os';
import { type Engine, lastLine } from './engine.ts';
import type { SidecarImage } from './sidecar-image.ts';

/** Words of `run` with which containers start on this machine. */
export interface RunFlags {
  readonly always: readonly string[];
  readonly network: readonly string[];
  /** By size: small, medium, large. */
  readonly limits: readonly [readonly string[], readonly string[], readonly string[]];
}

function limit(mebibytes: number, cores: number): string[] {
  return ['--memory', `${mebibytes}m`, '--cpus', String(Math.min(cores, availableParallelism()))];
}

const LIMITS: RunFlags['limits'] = [limit(512, 0.5), limit(1024, 1), limit(2048, 2)];
const NO_LIMITS: RunFlags['limits'] = [[], [], []];
const ULIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];

/** What an engine says when a machine lacks something, and how containers run without it. */
interface Mend {
  readonly sign: RegExp;
  readonly change: (flags: RunFlags) => RunFlags;
  /** What users miss by it. */
  readonly loss?: string;
}

const MENDS: readonly Mend[] = [
  { sign: /rlimit/i, change: (flags) => ({ ...flags, always: [...flags.always, ...ULIMITS] }) },
  {
    sign: /cgroup|cpu|memory/i,
    change: (flags) => ({ ...flags, limits: NO_LIMITS }),
    loss: 'no limits of memory and processor: the sizes of services do nothing',
  },
  {
    sign: /network|netns|netavark|\bcni\b|slirp|pasta|iptables|nft|bridge/i,
    change: (flags) => ({ ...flags, network: ['--network', 'none'] }),
    loss: 'no network but their own localhost',
  },
  { sign: /crun/i, change: (flags) => ({ ...flags, always: [...flags.always, '--runtime', 'runc'] }) },
];

/** The flags with which a container runs here, found by trying; `losses` says what could not be had. */
export async function findRunFlags(
  engine: Engine,
  image: SidecarImage,
  wanted: readonly string[],
): Promise<{ readonly flags: RunFlags; readonly losses: readonly string[] } | { readonly problem: string }> {
  let flags: RunFlags = { always: wanted, network: [], limits: LIMITS };
  const left = new Set(MENDS);
  const losses: string[] = [];
  for (;;) {
    const words = [...flags.always, ...flags.network, ...flags.limits[2], ...image.mounts];
    const tried = await engine.run(['run', '--rm', '--read-only', ...words, image.name, image.node, '--version']);
    if (tried.code === 0) return { flags, losses };
    const mend = [...left].find(({ sign }) => sign.test(tried.stderr));
    if (mend === undefined) {
      return {
        problem: `container services need ${engine.kind} to run containers, which it does not: ${lastLine(tried.stderr)}`,
      };
    }
    left.delete(mend);
    flags = mend.change(flags);
    if (mend.loss !== undefined) losses.push(mend.loss);
  }
}
