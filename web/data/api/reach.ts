import { computed, signal } from '@preact/signals';
import { now } from '../browser/clock.ts';
import type { ApiError } from './errors.ts';

/** Why the service does not answer the requests of pages. */
export interface Trouble {
  /** `away`: there is no reply; `busy`: it replies that it has too much to do. */
  readonly kind: 'away' | 'busy';
  /** When it began, milliseconds since 1970. */
  readonly since: number;
  /** Pages do not poll before this time. */
  readonly until: number;
  /** The message of the service. */
  readonly message: string;
}

const SHORTEST_MS = 1000;
const LONGEST_MS = { away: 8000, busy: 60_000 } as const;

const found = signal<Trouble | undefined>(undefined);
let delay = SHORTEST_MS;
const waiting = new Set<() => void>();

/** The trouble with the service; undefined while it answers. */
export const trouble = computed(() => found.value);

/** Shorter troubles are not shown. */
const SHOWN_AFTER_MS = 1500;

/** The trouble that has lasted long enough to be shown. */
export const lastingTrouble = computed(() => {
  const one = found.value;
  return one !== undefined && now.value - one.since >= SHOWN_AFTER_MS ? one : undefined;
});

const kindOf = (status: number): Trouble['kind'] | undefined =>
  status === 0 ? 'away' : status === 429 || status === 503 ? 'busy' : undefined;

/** Whether the same request may succeed later, unchanged. */
export const isPassing = ({ status }: Pick<ApiError, 'status'>): boolean => kindOf(status) !== undefined;

function wakeAll(): void {
  const all = [...waiting];
  waiting.clear();
  for (const wake of all) wake();
}

/** Notes that the service has replied, and resumes all waiting requests. */
export function noteAnswer(): void {
  const one = found.peek();
  // Another request may be answered while the service has asked clients to wait.
  if (one === undefined || (one.kind === 'busy' && Date.now() < one.until)) return;
  found.value = undefined;
  delay = SHORTEST_MS;
  wakeAll();
}

/**
 * Notes that a request has failed. If the service is away or busy, polling stops for the time in `Retry-After`, or with
 * exponential backoff and jitter.
 */
export function noteFailure(error: ApiError): void {
  const kind = kindOf(error.status);
  if (kind === undefined) {
    noteAnswer();
    return;
  }
  const at = Date.now();
  const before = found.peek();
  // Concurrent requests fail together: they count as one failure.
  if (before?.kind === kind && at < before.until && error.retryAt === undefined) return;
  const until = Math.max(error.retryAt ?? at + delay * (0.5 + Math.random() / 2), before?.until ?? 0);
  delay = Math.min(delay * 2, LONGEST_MS[kind]);
  found.value = { kind, since: before?.since ?? at, until, message: error.message };
}

/** Whether pages may poll: the service has not asked clients to wait. */
export const isWelcome = (): boolean => (found.peek()?.until ?? 0) <= Date.now();

/** Resumes all waiting requests now. */
export function askNow(): void {
  const one = found.peek();
  if (one !== undefined) found.value = { ...one, until: Date.now() };
  wakeAll();
}

/** Calls `act` when the service replies again, or the user retries. Returns the function that removes the callback. */
export function onceBack(act: () => void): () => void {
  waiting.add(act);
  return () => waiting.delete(act);
}

window.addEventListener('online', askNow);
