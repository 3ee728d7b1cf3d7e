/** A call of `FairQueue.run` was rejected because too many others of its tenant wait. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/** A work that waits: how many places it needs. */
interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** The work of one tenant: the number of its places, and its waiting works in FIFO order. */
interface Lane {
  running: number;
  readonly waiting: Waiting[];
}

/** The places of a queue. */
export interface Places {
  /** How many works run at once, if each needs one place. */
  readonly total: number;
  /** How many of them one tenant has at most. */
  readonly perTenant: number;
}

/** How a work waits. */
export interface WorkOptions {
  /** How many others of its tenant may wait; default: any number. */
  readonly maxWaiting?: number | undefined;
  /** How many places it needs, default 1; one that needs more than a tenant has gets all of these. */
  readonly weight?: number;
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
  async run<T>(
    tenant: string,
    work: () => Promise<T>,
    { maxWaiting = Number.POSITIVE_INFINITY, weight = 1 }: WorkOptions = {},
  ): Promise<T> {
    const places = Math.min(weight, this.perTenant);
    await this.enter(tenant, places, maxWaiting);
    try {
      return await work();
    } finally {
      this.leave(tenant, places);
    }
  }

  private enter(tenant: string, weight: number, maxWaiting: number): Promise<void> {
    const lane = this.lanes.get(tenant) ?? { running: 0, waiting: [] };
    this.lanes.set(tenant, lane);
    return new Promise((resolve, reject) => {
      const isFull = lane.waiting.length >= maxWaiting && !(this.mayHave(lane, weight) && this.free >= weight);
      if (isFull) reject(new QueueFullError(`${maxWaiting} others wait`));
      else lane.waiting.push({ weight, begin: resolve });
      this.beginNext();
    });
  }

  private leave(tenant: string, weight: number): void {
    const lane = this.lanes.get(tenant);
    if (lane === undefined) return;
    lane.running -= weight;
    this.free += weight;
    this.lanes.delete(tenant);
    if (lane.running > 0 || lane.waiting.length > 0) this.lanes.set(tenant, lane);
    this.beginNext();
  }

  private mayHave({ running }: Lane, weight: number): boolean {
    return running + weight <= this.perTenant;
  }

  private beginNext(): void {
    for (const [tenant, lane] of this.lanes) {
      const [next] = lane.waiting;
      if (next === undefined || !this.mayHave(lane, next.weight)) continue;
      // Free places are kept for the work whose turn it is: smaller ones would keep it waiting for ever.
      if (this.free < next.weight) return;
      lane.waiting.shift();
      lane.running += next.weight;
      this.free -= next.weight;
      this.lanes.delete(tenant);
      this.lanes.set(tenant, lane);
      next.begin();
    }
  }
}
