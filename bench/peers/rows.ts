import { type Load, rateOf, signalTime, WAITING_RUNS, wakeRate } from './load.ts';

export const CLIENTS = [1, 8, 32] as const;

/** A row of the table. */
export interface Row {
  readonly title: string;
  /** Whether a higher figure is better: it is a rate, not a time. */
  readonly isRate: boolean;
  readonly load: Load;
}

/** The rows in their order. The memory is measured after the last one. */
export const ROWS = {
  one: { title: 'start one step, wait', isRate: true, load: rateOf('one') },
  chain: { title: '10 steps, one commit in Weft', isRate: true, load: rateOf('chain') },
  committedChain: { title: '10 steps, a commit each', isRate: true, load: rateOf('committedChain') },
  calls: { title: '10 child calls in sequence', isRate: true, load: rateOf('calls') },
  fan: { title: 'fan-out over 20 children', isRate: true, load: rateOf('fan') },
  begin: { title: 'start without waiting, drained', isRate: true, load: rateOf('begin', 'drained') },
  signal: { title: 'signal to result, p50 in ms', isRate: false, load: signalTime },
  wake: { title: `${WAITING_RUNS} waiting runs woken`, isRate: true, load: wakeRate },
} as const satisfies Record<string, Row>;

export type RowName = keyof typeof ROWS;
export const ROW_NAMES = Object.keys(ROWS) as readonly RowName[];
