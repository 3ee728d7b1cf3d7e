import type { ActionPlan, Plan } from '../compiler/plan/plan.ts';
import { ownMember } from '../language/own-members.ts';
import { type Bound, plus, used } from './paths.ts';
import type { Used } from './prices.ts';

/** A call within the step of a function with limits, its place in the concurrency, and its count by the rate. */
const CALL_LIMITS = {
  limited: { readUnits: 2 },
  concurrency: { readUnits: 3, writeUnits: 2 },
  rate: { readUnits: 1, writeUnits: 1 },
  /** A call that is refused is stored with its failure, which its caller then reads. */
  refused: { readUnits: 3, writeUnits: 2 },
} as const;

/** The amounts that the limits of the functions of actions add to one call of each; with `most`, each is refused that may be. */
export function limitsOf({ functions }: Plan, actions: readonly ActionPlan[], bound: Bound): Used {
  let sum = used();
  for (const { function: name } of actions) {
    const { concurrency, rate } = ownMember(functions, name)?.limits ?? {};
    const [placed, counted] = [concurrency, rate].map((field) => (field === undefined ? 0 : 1));
    sum = plus(sum, CALL_LIMITS.limited, Math.max(placed ?? 0, counted ?? 0));
    sum = plus(plus(sum, CALL_LIMITS.concurrency, placed), CALL_LIMITS.rate, counted);
    const isRefused = bound === 'most' && [concurrency, rate].some((field) => field?.whenFull === 'refuse');
    sum = plus(sum, CALL_LIMITS.refused, isRefused ? 1 : 0);
  }
  return sum;
}
