import type { Ports } from '../../ports/ports.ts';
import { mostOf, noRoom } from '../quotas.ts';
import { RecentMap } from '../recent-map.ts';
import type { NamespaceLimits } from '../run-limits.ts';
import { growthOf, readStored, type SizeChange, type Stored } from './stored-variables.ts';

type Needs = Pick<Ports, 'table' | 'clock' | 'settings'>;

/** The counters of a namespace that is near its quota are read again after this time. */
const SAMPLE_MS = 1000;

/** What a process stores before it reads the counters, at most: small amounts cost no calls. */
const UNREAD: Stored = { bytes: 1024 * 1024, variables: 100 };

interface Sample {
  /** What the counters had at `at`, milliseconds since 1970; undefined: they were not read yet. */
  readonly read?: Stored & { readonly at: number };
  /** What this process stored since then. */
  bytes: number;
  variables: number;
}

/** By namespace; one that is forgotten is read again. */
const samples = new RecentMap<Sample>();

const MEASURES = { bytes: 'variableBytes', variables: 'variables' } as const;
type Measure = keyof typeof MEASURES;
const ALL: readonly Measure[] = ['bytes', 'variables'];

/** Whether so much may have been stored since the last sample that it must be taken again. */
const isStale = (sample: Sample, most: Stored): boolean =>
  ALL.some((one) => sample[one] > Math.min(UNREAD[one], (most[one] - (sample.read?.[one] ?? 0)) / 100));

/**
 * Why a variable cannot be stored, by the quotas of its namespace; undefined if it can. The counters are read where a process
 * has stored more than a hundredth of what is left, at most once a second: processes exceed a quota by what they store in between.
 */
export async function variableProblem(
  ports: Needs,
  { id, limits }: { readonly id: string; readonly limits?: Partial<NamespaceLimits> | undefined },
  change: Pick<SizeChange, 'owner' | 'before' | 'after'>,
): Promise<string | undefined> {
  const growth = growthOf(change);
  if (growth.bytes <= 0 && growth.variables <= 0) {
    const known = samples.get(id);
    if (known !== undefined) for (const one of ALL) known[one] += growth[one];
    return undefined;
  }
  const most = {
    bytes: mostOf(ports.settings, 'variableBytes', limits),
    variables: mostOf(ports.settings, 'variables', limits),
  };
  let sample: Sample = samples.get(id) ?? { bytes: 0, variables: 0 };
  samples.set(id, sample);
  for (const one of ALL) sample[one] += growth[one];
  const now = ports.clock.now();
  if (
    isStale(sample, most) &&
    (sample.read === undefined || now - sample.read.at >= SAMPLE_MS || now < sample.read.at)
  ) {
    const read = { ...(await readStored(ports, id)), at: now };
    sample = { read, ...growth };
    samples.set(id, sample);
  }
  const { read } = sample;
  const full = ALL.find((one) => growth[one] > 0 && (read?.[one] ?? 0) + sample[one] > most[one]);
  if (full === undefined) return undefined;
  for (const one of ALL) sample[one] -= growth[one];
  return noRoom(MEASURES[full], most[full]);
}
