import { type Keeper, keptRuns } from '../../domain/metrics/kept-runs.ts';
import { RecentMap } from '../../domain/recent-map.ts';
import type { Ports } from '../../ports/ports.ts';

/** The counters of a namespace that is near its quota are read again after this time. */
const SAMPLE_MS = 10_000;

/** What a process starts before it reads the counters, at most: a start seldom costs calls. */
const UNREAD = 10_000;

interface Sample {
  readonly kept: number;
  /** When it was read, milliseconds since 1970. */
  readonly at: number;
  /** Runs that this process started since then. */
  begun: number;
}

/**
 * How many runs namespaces keep: a sample of the counters, and the runs that this process started since. It is taken where a
 * process has started more than a hundredth of what is left, so processes exceed a quota by what they start in between.
 */
export class KeptRunSamples {
  private readonly samples = new RecentMap<Sample>();

  /** Takes one start. Returns false, and takes nothing, when the namespace keeps as many runs as may be. */
  async take(ports: Pick<Ports, 'table' | 'clock'>, keeper: Keeper, most: number): Promise<boolean> {
    const now = ports.clock.now();
    const known = this.samples.get(keeper.id);
    let sample: Sample = known ?? { kept: 0, at: Number.NEGATIVE_INFINITY, begun: 0 };
    const isStale = sample.begun + 1 > Math.min(UNREAD, (most - sample.kept) / 100);
    if (isStale && now - sample.at >= SAMPLE_MS) sample = { kept: await keptRuns(ports, keeper), at: now, begun: 0 };
    if (sample !== known) this.samples.set(keeper.id, sample);
    if (sample.kept + sample.begun >= most) return false;
    sample.begun += 1;
    return true;
  }
}
