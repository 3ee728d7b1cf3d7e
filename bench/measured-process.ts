/** The answer of a measured server to each message: its use of the machine. */
export interface Usage {
  /** The resident memory, bytes. */
  readonly memory: number;
  /** Processor time since the start of the process, in all its threads, milliseconds. */
  readonly cpu: number;
}

/** A message to a measured server: the work to do before it answers. */
export interface Order {
  readonly work: 'measure' | 'finish' | 'fill';
  /** For `fill`: the number of runs. */
  readonly count?: number;
}

/**
 * Connects a server process with the benchmark that has forked it: sends its URL, does the work of each message and answers
 * with its `Usage`, and ends on SIGTERM after `close`.
 */
export function reportToParent(
  url: string,
  close: () => Promise<void> | void,
  work: (order: Order) => Promise<void> = async () => undefined,
): void {
  process.on('message', async (order: Order) => {
    await work(order);
    const { user, system } = process.cpuUsage();
    process.send?.({ memory: process.memoryUsage().rss, cpu: (user + system) / 1000 } satisfies Usage);
  });
  process.once('SIGTERM', async () => {
    await close();
    process.exit(0);
  });
  process.send?.(url);
}
