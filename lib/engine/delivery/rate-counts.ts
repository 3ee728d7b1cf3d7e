import type { FlowControl, RatePlan } from '../../compiler/plan/concurrency.ts';
import { durationMs } from '../../compiler/plan/execution.ts';
import type { Group } from '../../domain/concurrency/places.ts';
import { type NextStart, nextStart } from '../../domain/concurrency/rates.ts';
import type { CallScope } from '../../domain/runs/calls.ts';
import type { Hold } from '../../domain/runs/waits.ts';
import type { EnginePorts } from '../ports.ts';

/** The next start that the rate of a group allows to the run or call with this id. */
export function nextOf(
  ports: EnginePorts,
  id: string,
  rate: Pick<RatePlan, 'limit' | 'per'>,
  group: Group,
): Promise<NextStart> {
  const rule = { limit: rate.limit, per: durationMs(rate.per) ?? 0 };
  const asking = { id, now: ports.clock.now(), version: ports.clock.uuid() };
  return nextStart(ports.table, group, rule, asking);
}

/** The hold of a run or call that the rate has counted, also of one that begins at once. */
export const countedBy = (key: string, { at }: NextStart): Hold => ({ by: 'rate', key, until: at });

/**
 * Whether the rate of a workflow counts a run that has a place, so that no run begins more often than it says, however long places
 * were taken before. The run keeps its place until its time: nothing else could begin before, as the others of its place are counted
 * with it. Where the rate has a key of its own, or refuses starts, or a place is taken from others, it is counted before.
 */
export function isCountedInPlace({ concurrency, rate }: Pick<FlowControl, 'concurrency' | 'rate'>): boolean {
  if (concurrency === undefined || rate === undefined) return false;
  const isShared = rate.key === undefined || JSON.stringify(rate.key) === JSON.stringify(concurrency.key);
  return isShared && rate.whenFull === 'queue' && concurrency.whenFull !== 'cancelOldest';
}

/** As `isCountedInPlace`, for a call of a function. */
export const isCallCountedInPlace = ({ key, rateKey, refusing }: CallScope): boolean =>
  (rateKey === '' || rateKey === key) && refusing?.includes('rate') !== true;
