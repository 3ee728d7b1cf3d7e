/**
 * What waits for its turn, by tenant: the first of the tenant that has been charged least. A tenant that comes begins with the
 * charge of the tenant whose turn it is, so that nobody saves up for later.
 */
export class FairLine<T> {
  /** In FIFO order. Of tenants with the same charge, the first is next. */
  readonly #waiting = new Map<string, T[]>();
  readonly #charged = new Map<string, number>();
  /** What waits of tenants that pause. */
  readonly #paused = new Map<string, T[]>();
  #present = 0;
  #size = 0;

  /** How many wait, without those of tenants that pause. */
  get size(): number {
    return this.#size;
  }

  push(tenant: string, one: T): void {
    const paused = this.#paused.get(tenant);
    if (paused !== undefined) paused.push(one);
    else this.#add(tenant, [one]);
  }

  /** Takes a tenant out of the line until it resumes. */
  pause(tenant: string): void {
    const waiting = this.#waiting.get(tenant) ?? [];
    this.#paused.set(tenant, waiting);
    this.#waiting.delete(tenant);
    this.#size -= waiting.length;
  }

  resume(tenant: string): void {
    const paused = this.#paused.get(tenant) ?? [];
    this.#paused.delete(tenant);
    if (paused.length > 0) this.#add(tenant, paused);
  }

  isPaused(tenant: string): boolean {
    return this.#paused.has(tenant);
  }

  /** Takes the next one out. */
  shift(): { readonly tenant: string; readonly one: T } | undefined {
    const tenant = this.#next();
    const others = tenant === undefined ? undefined : this.#waiting.get(tenant);
    const one = others?.shift();
    if (tenant === undefined || others === undefined || one === undefined) return undefined;
    this.#size -= 1;
    this.#present = this.#charged.get(tenant) ?? 0;
    this.#waiting.delete(tenant);
    if (others.length > 0) this.#waiting.set(tenant, others);
    return { tenant, one };
  }

  /** Charges a tenant for what it took, in any unit. */
  charge(tenant: string, amount: number): void {
    this.#charged.set(tenant, Math.max(this.#charged.get(tenant) ?? 0, this.#present) + amount);
  }

  /** Forgets all charges while nothing waits: nobody was kept from anything. */
  settle(): void {
    if (this.#size + this.#paused.size > 0) return;
    this.#charged.clear();
    this.#present = 0;
  }

  #add(tenant: string, some: T[]): void {
    this.#size += some.length;
    const others = this.#waiting.get(tenant);
    others?.push(...some);
    if (others !== undefined) return;
    this.#waiting.set(tenant, some);
    this.charge(tenant, 0);
  }

  #next(): string | undefined {
    let [least, next]: [number, string | undefined] = [Number.POSITIVE_INFINITY, undefined];
    for (const tenant of this.#waiting.keys()) {
      const charged = this.#charged.get(tenant) ?? 0;
      if (charged < least) [least, next] = [charged, tenant];
    }
    return next;
  }
}
