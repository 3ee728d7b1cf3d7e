/**
 * The processor of this process, which tenants, the names of namespaces, share: nothing that computes for one of them keeps the others waiting for long.
 * Absent where a process has one piece of work at a time, as on AWS Lambda.
 */
export interface Processor {
  /** Whether a batch of the tenant may compute on before the requests of the others are served. */
  mayCompute(tenant: string): boolean;
  /** Resolves when a batch of the tenant may compute. */
  takeTurn(tenant: string): Promise<void>;
  /** Resolves when the tenant may read, format or copy large data at once, which takes tens of milliseconds. */
  takeLargeTurn(tenant: string): Promise<void>;
  /** Calls the listener with the time that a tenant has computed, ms; absent: it is not measured. */
  onComputed?(listener: (tenant: string, ms: number) => void): void;
  /** Does the work that parses an input and begins its run, when there is room for its bytes in memory beside the others. */
  holdInput<T>(tenant: string, bytes: number, work: () => Promise<T>): Promise<T>;
}
