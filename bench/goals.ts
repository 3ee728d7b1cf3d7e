/** The rates with which a row is compared, per second, at 1 and at 8 clients. */
export interface Comparison {
  /** The rates of Direktiv v0.6.7, measured once, on the machine of the first table of goals. */
  readonly original?: readonly [one: number, eight: number];
  /** The rates to reach, or the other row and the highest factor by which this row may be slower. */
  readonly goal?: readonly [one: number, eight: number] | { readonly row: string; readonly factor: number };
}

/** By the name of a workload. */
export const COMPARISONS: Readonly<Record<string, Comparison>> = {
  'op=wait noop': { original: [23, 41], goal: [1200, 4000] },
  'the same, record: none': {},
  'op=wait 10-noop chain': { original: [5.9, 12], goal: { row: 'op=wait noop', factor: 1.3 } },
  'foreach over 20 subflows': { original: [1.7, 2.9], goal: [300, 600] },
  'execute noop': { original: [60, 102], goal: [800, 2500] },
  'variable get': { original: [432, 1182], goal: [2500, 8000] },
  'variable set': { original: [202, 402], goal: [1000, 4000] },
  'event without listener': { original: [200, 500], goal: [1200, 4000] },
  'event starts one run': { original: [72, 65], goal: [800, 2000] },
  'the same, 1,000 listeners': { original: [2.3, 8.3], goal: { row: 'event starts one run', factor: 1.5 } },
};

/** The longest time of a page and of a start, milliseconds, and the most memory, MiB. */
export const LIMITS = { page: 30, emptyStart: 400, fullStart: 1000, memory: 200 } as const;
