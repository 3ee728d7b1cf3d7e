import type { Plan } from '../compiler/plan/plan.ts';
import { LABELS, PRICES, perMillion, type Used } from './prices.ts';
import { priceRuns, type RunCost } from './runs.ts';

/** One amount of a run: the least and the most of it, and the price of a million in USD. */
export interface PricedLine {
  readonly what: string;
  readonly least: number;
  readonly most: number;
  readonly price: number;
}

/** The price of runs that are started in one way. */
export interface PricedRuns {
  readonly op: RunCost['op'];
  /** The price of a million runs in USD: of the cheapest and of the most expensive path. */
  readonly least: number;
  readonly most: number;
  readonly lines: readonly PricedLine[];
}

const NAMES = Object.keys(PRICES) as (keyof Used)[];

/** The model of `weft cost` for a plan, with its lines; `items` is the number of items of each `foreach`. */
export function pricedRuns(plan: Plan, items: number): PricedRuns[] {
  return priceRuns(plan, items).map(({ op, least, most }) => ({
    op,
    least: perMillion(least),
    most: perMillion(most),
    lines: NAMES.filter((name) => least[name] > 0 || most[name] > 0).map((name) => ({
      what: LABELS[name],
      least: least[name],
      most: most[name],
      price: PRICES[name],
    })),
  }));
}
