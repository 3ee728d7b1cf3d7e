export type Tier = 'EXPRESS' | 'STANDARD';

export interface Machine {
  /** Unique in the installation, at most 80 characters of [A-Za-z0-9_-]. */
  readonly name: string;
  /** Amazon States Language, JSON text. */
  readonly definition: string;
  readonly tier: Tier;
}

/** State machines and their executions. */
export interface Executions {
  /** Creates or updates the machine and publishes it; the handle names exactly this version. Idempotent, resumable. */
  define(machine: Machine): Promise<string>;
  /** At most one execution per name: a second start with a name in use does nothing. */
  start(handle: string, name: string, input: unknown): Promise<void>;
  /** Ends a running execution; one that has ended, or never began, stays as it is. */
  stop(handle: string, name: string, error: string, cause: string): Promise<void>;
  /** Ends a waiting task; false when nobody waits for that token any more. */
  answer(token: string, answer: Answer): Promise<boolean>;
}

export type Answer = { readonly output: unknown } | { readonly error: string; readonly cause: string };
