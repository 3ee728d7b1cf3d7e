import type { PricesReply } from '../../../clients/api/operations.ts';
import { useLoad } from '../api/live.ts';

type Priced = PricesReply['workflows'][number];

/** The cost of runs on AWS in USD, from the cheapest to the most expensive path of their workflows. */
export interface Price {
  readonly least: number;
  readonly most: number;
}

/** The prices of runs, with region and date of the price list. */
export interface Prices {
  readonly region: string;
  readonly pricedOn: string;
  /** By workflow; undefined for a workflow without a price. */
  readonly ofRun: (workflow: string) => Price | undefined;
}

/** The most workflows that are priced. */
export const MOST_PRICED = 50;
const MILLION = 1_000_000;

/** The price of a run that `execute` starts. */
function priceOf({ runs }: Priced): Price | undefined {
  const started = runs.find(({ op }) => op === 'execute');
  return started && { least: started.least / MILLION, most: started.most / MILLION };
}

/** The prices of the runs of workflows, those of the first fifty. */
export function usePrices(namespace: string, workflows: readonly string[]): Prices | undefined {
  // Sorted, so that the same workflows make the same request.
  const path = workflows.slice(0, MOST_PRICED).toSorted();
  const { value } = useLoad('getPrices', path.length === 0 ? undefined : { namespace }, { path });
  const reply = value.value;
  if (reply === undefined) return undefined;
  const found = new Map(reply.workflows.map((one) => [one.workflow, priceOf(one)]));
  return { region: reply.region, pricedOn: reply.pricedOn, ofRun: (workflow) => found.get(workflow) };
}

/** The sum of the prices of these numbers of runs; workflows without a price are left out. */
export function sumOf(prices: Prices, counts: readonly { readonly name: string; readonly started: number }[]): Price {
  let [least, most] = [0, 0];
  for (const { name, started } of counts) {
    const price = prices.ofRun(name);
    least += (price?.least ?? 0) * started;
    most += (price?.most ?? 0) * started;
  }
  return { least, most };
}

/** `$0.012`: two significant digits below a dollar, cents above. */
export function dollars(amount: number): string {
  if (amount === 0) return '$0';
  if (amount >= 1) return `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  return `$${amount.toLocaleString('en-US', { maximumSignificantDigits: 2, minimumFractionDigits: 2 })}`;
}

/** `$0.012 to $0.031`, or one amount where both are the same. */
export function priceText({ least, most }: Price): string {
  const [from, to] = [dollars(least), dollars(most)];
  return from === to ? from : `${from} to ${to}`;
}
