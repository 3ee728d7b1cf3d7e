import { PRICES, perMillion, type Used } from './prices.ts';

const NAMES = Object.keys(PRICES) as (keyof Used)[];
const NOTHING = Object.fromEntries(NAMES.map((name) => [name, 0])) as Used;

/** The given amounts; all others are 0. */
export const used = (some: Partial<Used> = {}): Used => ({ ...NOTHING, ...some });

/** The sum of the amounts, the second multiplied by a factor. */
export function plus(one: Used, other: Partial<Used>, times = 1): Used {
  const sum: Record<keyof Used, number> = { ...one };
  for (const name of NAMES) sum[name] += times * (other[name] ?? 0);
  return sum;
}

export interface Step {
  readonly uses: Partial<Used>;
  readonly next: readonly string[];
  /** The path may end here. */
  readonly ends: boolean;
}

export type Bound = 'least' | 'most';

/** All reachable nodes in post-order. Iterative, because a path may have thousands of nodes. */
function postOrder(stepOf: (id: string) => Step, start: string): string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const open: { readonly id: string; readonly isDone: boolean }[] = [{ id: start, isDone: false }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { id, isDone } = top;
    if (isDone) order.push(id);
    if (isDone || seen.has(id)) continue;
    seen.add(id);
    open.push({ id, isDone: true }, ...stepOf(id).next.map((next) => ({ id: next, isDone: false })));
  }
  return order;
}

/** The amounts of the cheapest or the most expensive path to an end without cycles; undefined if no path ends. */
export function pricePath(stepOf: (id: string) => Step, start: string, bound: Bound): Used | undefined {
  const best = new Map<string, { readonly used: Used; readonly price: number }>();
  const sign = bound === 'least' ? 1 : -1;
  for (const id of postOrder(stepOf, start)) {
    const { uses, next, ends } = stepOf(id);
    // A successor without a price is part of a cycle.
    const paths = next.flatMap((other) => best.get(other) ?? []);
    const candidates = ends ? [...paths, { used: used(), price: 0 }] : paths;
    if (candidates.length === 0) continue;
    const chosen = candidates.reduce((one, other) => (sign * (other.price - one.price) < 0 ? other : one));
    const sum = plus(chosen.used, uses);
    best.set(id, { used: sum, price: perMillion(sum) });
  }
  return best.get(start)?.used;
}
