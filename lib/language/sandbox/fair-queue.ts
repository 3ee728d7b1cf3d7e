/** A call of `FairQueue.run` was rejected because too many others of its tenant wait. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/** The work of one tenant: how much of it runs, and what waits, in FIFO order. */
interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/** The places of a queue. */
export interface Places {
  /** How many works run at once. */
  readonly total: number;
  /** How many of them one tenant has at most. */
  readonly perTenant: number;
}

/**
 * Limits concurrency, and is fair: the tenants that wait take turns, whatever the number of their works, and one tenant
 * never has more than its part of the places. The works of a tenant begin in FIFO order.
 */
export class FairQueue {
  private readonly perTenant: number;
  private free: number;
  /** In the order of the turns: a tenant that gets or leaves a place goes to the end. */
  private readonly lanes = new Map<string, Lane>();

  constructor({ total, perTenant }: Places) {
    this.free = total;
    this.perTenant = perTenant;
  }

  /** Runs the work when it is the tenant's turn. Throws QueueFullError when `maxWaiting` works of the tenant wait. */
  async run<T>(tenant: string, work: () => Promise<T>, maxWaiting = Number.POSITIVE_INFINITY): Promise<T> {
    await this.enter(tenant, maxWaiting);
    try {
      return await work();
    } finally {
      this.leave(tenant);
    }
  }

  private enter(tenant: string, maxWaiting: number): Promise<void> {
    const lane = this.lanes.get(tenant) ?? { running: 0, waiting: [] };
    this.lanes.set(tenant, lane);
    return new Promise((resolve, reject) => {
      const isFull = lane.waiting.length >= maxWaiting && !this.hasPlace(lane);
      if (isFull) reject(new QueueFullError(`${maxWaiting} others wait`));
      else lane.waiting.push(resolve);
      this.beginNext();
    });
  }

  private leave(tenant: string): void {
    const lane = this.lanes.get(tenant);
    if (lane === undefined) return;
    lane.running -= 1;
    this.free += 1;
    this.lanes.delete(tenant);
    if (lane.running > 0 || lane.waiting.length > 0) this.lanes.set(tenant, lane);
    this.beginNext();
  }

  private hasPlace({ running }: Lane): boolean {
    return this.free > 0 && running < this.perTenant;
  }

  private beginNext(): void {
    for (const [tenant, lane] of this.lanes) {
      if (!this.hasPlace(lane)) continue;
      const begin = lane.waiting.shift();
      if (begin === undefined) continue;
      lane.running += 1;
      this.free -= 1;
      this.lanes.delete(tenant);
      this.lanes.set(tenant, lane);
      begin();
    }
  }
}
