import { RecentMap } from '../../domain/recent-map.ts';
import { readActiveRuns } from '../../domain/runs/active-runs.ts';
import type { Ports } from '../../ports/ports.ts';

/** The counters of a namespace are read again after this time. */
const SAMPLE_MS = 1000;

interface Sample {
  readonly count: number;
  /** When it was read, milliseconds since 1970. */
  readonly at: number;
  /** Runs that this process began since then. */
  begun: number;
}

/**
 * The pending runs of namespaces that limit them: a sample of the counters in the table, at most a second old, and the
 * runs that this process began since. The runs that other processes began within that second are missing.
 */
export class ActiveRunSamples {
  private readonly samples = new RecentMap<Sample>();

  /** Takes one start. Returns false, and takes nothing, when as many runs of the namespace are pending as may be. */
  async take({ table, clock }: Pick<Ports, 'table' | 'clock'>, namespaceId: string, most: number): Promise<boolean> {
    const now = clock.now();
    const known = this.samples.get(namespaceId);
    const isFresh = known !== undefined && now - known.at < SAMPLE_MS;
    const sample = isFresh ? known : { count: await readActiveRuns(table, namespaceId), at: now, begun: 0 };
    if (!isFresh) this.samples.set(namespaceId, sample);
    if (sample.count + sample.begun >= most) return false;
    sample.begun += 1;
    return true;
  }
}
