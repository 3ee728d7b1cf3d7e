import type { Ports } from '../../ports/ports.ts';
import { DAY_MS } from '../../time/units.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { RETENTION_DAYS } from '../runs/runs.ts';
import * as aggregates from './aggregates.ts';
import { begun, counterNames } from './run-counts.ts';
import { numberAt } from './sums.ts';

/** A namespace, as its counters need it. */
export type Keeper = Pick<Namespace, 'id' | 'created' | 'spread'>;

/**
 * How many runs a namespace keeps, by the counters of its metrics: those that began within the retention. A run is kept for
 * that long after its end, so one that takes days is kept longer than it is counted.
 */
export async function keptRuns(needs: Pick<Ports, 'table' | 'clock'>, keeper: Keeper): Promise<number> {
  const prefix = counterNames.ofDay('');
  const days = await aggregates.read(needs, keeper, begun, { prefix });
  const oldest = needs.clock.now() - RETENTION_DAYS * DAY_MS;
  const kept = [...days].filter(([counter]) => Date.parse(counter.slice(prefix.length)) > oldest);
  return kept.reduce((sum, [, sums]) => sum + numberAt(sums, 'runs'), 0);
}
