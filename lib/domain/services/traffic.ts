import { ServiceError } from '../errors.ts';
import { fractionOf } from '../storage/ids.ts';

/** The percentage of the calls that a revision gets; a revision without a share gets none. */
export interface Share {
  readonly generation: number;
  readonly percent: number;
}

/** A share in a request, in which a revision has its full name. */
export interface Target {
  readonly revision: string;
  readonly percent: number;
}

export const ALL = 100;
/** Traffic is divided between two revisions only (specification, Services). */
const MAX_SHARES = 2;

/** The maximum length of an unknown name of a revision in an error. */
const MAX_SHOWN = 200;

const newestFirst = (a: Share, b: Share): number => b.generation - a.generation;
const heaviestFirst = (a: Share, b: Share): number => b.percent - a.percent || newestFirst(a, b);
const isPercent = (percent: number): boolean => Number.isInteger(percent) && percent >= 0 && percent <= ALL;

function needPercent(percent: number, field: string): void {
  if (isPercent(percent)) return;
  throw new ServiceError('invalid', `${field} is ${percent}; it is a whole number from 0 to 100`);
}

/**
 * Returns the traffic with a new revision that gets `percent` of it. The rest goes to the revision that had most of it,
 * because traffic is divided between two revisions only (specification, Services). Throws `invalid`.
 */
export function withNew(shares: readonly Share[], generation: number, percent: number): readonly Share[] {
  needPercent(percent, 'trafficPercent');
  if (percent === 0) return shares;
  const [heaviest] = [...shares].sort(heaviestFirst);
  const rest = heaviest === undefined ? [] : [{ generation: heaviest.generation, percent: ALL - percent }];
  return [{ generation, percent }, ...rest].filter((share) => share.percent > 0).sort(newestFirst);
}

/**
 * Returns the traffic of a request; revisions that it does not name get none. `generations` has the generations of the
 * service by the full names of its revisions. Throws `refused` (500, rest-api reference, 11.4) for no targets or unknown
 * ones, `invalid` for invalid percentages, and for more than two revisions with traffic.
 */
export function divided(
  targets: readonly Target[] | undefined,
  generations: ReadonlyMap<string, number>,
): readonly Share[] {
  if (targets === undefined) throw new ServiceError('refused', 'no traffic values');
  if (targets.length === 0) throw new ServiceError('refused', 'no traffic defined');
  const shares = targets.map(({ revision, percent }, index) => {
    const generation = generations.get(revision);
    if (generation === undefined) throw new ServiceError('refused', `unknown revision ${revision.slice(0, MAX_SHOWN)}`);
    needPercent(percent, `values[${index}].percent`);
    if (targets.some((other, at) => at < index && other.revision === revision)) {
      throw new ServiceError('invalid', `revision ${revision} is named twice`);
    }
    return { generation, percent };
  });
  const sum = shares.reduce((total, { percent }) => total + percent, 0);
  if (sum !== ALL) throw new ServiceError('invalid', `the percentages add up to ${sum}; they must add up to 100`);
  const kept = shares.filter(({ percent }) => percent > 0).sort(newestFirst);
  if (kept.length <= MAX_SHARES) return kept;
  throw new ServiceError('invalid', `traffic goes to ${kept.length} revisions; it can be divided between two only`);
}

/** The percentage of the calls that a revision gets. */
export const percentOf = (shares: readonly Share[], generation: number): number =>
  shares.find((share) => share.generation === generation)?.percent ?? 0;

/** Returns the generation for a call: chosen by the percentages, the same for the same seed. `shares` is not empty. */
export function choose(shares: readonly Share[], seed: string): number {
  let left = fractionOf(seed) * ALL;
  for (const { generation, percent } of shares) {
    if (left < percent) return generation;
    left -= percent;
  }
  return shares.at(-1)?.generation ?? 0;
}
