import { PRICES, perMillion, type Used } from './prices.ts';

const NAMES = Object.keys(PRICES) as (keyof Used)[];

/** Nothing but what is named. */
export const used = (some: Partial<Used> = {}): Used => ({
  ...(Object.fromEntries(NAMES.map((name) => [name, 0])) as Record<keyof Used, number>),
  ...some,
});

/** All of it together, the second so many times. */
export const plus = (one: Used, other: Partial<Used>, times = 1): Used =>
  used(Object.fromEntries(NAMES.map((name) => [name, one[name] + times * (other[name] ?? 0)])));

export interface Step {
  readonly uses: Partial<Used>;
  readonly next: readonly string[];
  /** The way may be over here. */
  readonly ends: boolean;
}

export type Bound = 'least' | 'most';

/** Every node that can be reached, those that it leads to before it. Iterative: there may be thousands in a row. */
function lastFirst(stepOf: (id: string) => Step, start: string): string[] {
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

/** What the cheapest or the dearest way to an end uses on which nothing comes twice; undefined if none ends. */
export function priceWay(stepOf: (id: string) => Step, start: string, bound: Bound): Used | undefined {
  const best = new Map<string, Used>();
  const sign = bound === 'least' ? 1 : -1;
  for (const id of lastFirst(stepOf, start)) {
    const { uses, next, ends } = stepOf(id);
    // What is not there yet leads back to here.
    const ways = next.flatMap((other) => best.get(other) ?? []);
    const [chosen] = [...ways, ...(ends ? [used()] : [])].sort((a, b) => sign * (perMillion(a) - perMillion(b)));
    if (chosen !== undefined) best.set(id, plus(chosen, uses));
  }
  return best.get(start);
}
