import { setTimeout as sleep } from 'node:timers/promises';
import { RecentMap } from '../../domain/recent-map.ts';
import type { Clock } from '../../ports/clock.ts';

/** A start that is put off comes again after this time at the latest: others may not come any more. */
const MAX_PUT_OFF_MS = 50_000;

/** A limit that keeps a run from being started. */
export type Excess =
  | { readonly limit: 'activeRuns' | 'runs'; readonly most: number }
  /** `retryMs`: milliseconds after which a start may be taken. */
  | { readonly limit: 'startRate'; readonly perSecond: number; readonly retryMs: number };

/** A start that asks for its turn. */
export interface Start {
  readonly namespaceId: string;
  /** It belongs to work that has begun, such as a subflow: it goes before the requests that wait. */
  readonly isInner: boolean;
  /** How long it waits at most, milliseconds. */
  readonly patienceMs: number;
  /** Takes a start, or returns the limit that is reached. */
  readonly take: () => Promise<Excess | undefined>;
}

interface Waiting extends Pick<Start, 'take'> {
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly resolve: (excess: Excess | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The starts of a namespace that wait, each in FIFO order. */
interface Line {
  readonly inner: Waiting[];
  readonly outer: Waiting[];
  readonly perSecond: number;
  /** When the first one tries again, milliseconds since 1970. */
  next: number;
}

/** The starts over the rate of their namespace: they wait in order, and take their turns when the rate allows. */
export class StartQueue {
  private readonly lines = new Map<string, Line>();
  /** When the last of the starts that were put off is to come, milliseconds since 1970. */
  private readonly putOffUntil = new RecentMap<number>();

  /** Takes a start, or waits for its turn. Returns the limit that is reached if its turn does not come in time. */
  async take(clock: Pick<Clock, 'now'>, start: Start): Promise<Excess | undefined> {
    const { namespaceId, isInner, patienceMs } = start;
    let line = this.lines.get(namespaceId);
    if (line === undefined) {
      const excess = await start.take();
      if (excess?.limit !== 'startRate' || excess.retryMs > patienceMs) return excess;
      line = this.lines.get(namespaceId) ?? this.open(clock, namespaceId, excess);
    }
    const { inner, outer, perSecond, next } = line;
    const ahead = inner.length + (isInner ? 0 : outer.length);
    const now = clock.now();
    const retryMs = Math.max(next - now, 0) + Math.ceil((ahead / perSecond) * 1000);
    if (retryMs > patienceMs) return { limit: 'startRate', perSecond, retryMs };
    return new Promise((resolve, reject) => {
      (isInner ? inner : outer).push({ take: start.take, until: now + patienceMs, resolve, reject });
    });
  }

  /**
   * Puts off a start that could not be taken: returns the milliseconds after which it is to come again, which is after those
   * that were put off before.
   */
  putOff(
    clock: Pick<Clock, 'now'>,
    namespaceId: string,
    { perSecond, retryMs }: Pick<Extract<Excess, { readonly limit: 'startRate' }>, 'perSecond' | 'retryMs'>,
  ): number {
    const now = clock.now();
    const inTurn = Math.max(now + retryMs, (this.putOffUntil.get(namespaceId) ?? 0) + 1000 / perSecond);
    const at = Math.min(inTurn, now + MAX_PUT_OFF_MS);
    this.putOffUntil.set(namespaceId, at);
    return Math.ceil(at - now);
  }

  private open(
    clock: Pick<Clock, 'now'>,
    namespaceId: string,
    { perSecond, retryMs }: Extract<Excess, { readonly limit: 'startRate' }>,
  ): Line {
    const line: Line = { inner: [], outer: [], perSecond, next: clock.now() + retryMs };
    this.lines.set(namespaceId, line);
    void this.serve(clock, namespaceId, line);
    return line;
  }

  /** Serves the starts of a line until none waits. */
  private async serve(clock: Pick<Clock, 'now'>, namespaceId: string, line: Line): Promise<void> {
    const { inner, outer } = line;
    do {
      const pause = line.next - clock.now();
      await (pause > 0 ? sleep(pause) : undefined);
      const from = inner.length > 0 ? inner : outer;
      const [first] = from;
      if (first !== undefined && (await isServed(clock, line, first))) from.shift();
    } while (inner.length + outer.length > 0);
    this.lines.delete(namespaceId);
  }
}

/** Whether a start that waits first has its answer: its turn has come, or does not come in time. */
async function isServed(
  clock: Pick<Clock, 'now'>,
  line: Line,
  { take, until, resolve, reject }: Waiting,
): Promise<boolean> {
  try {
    const excess = await take();
    if (excess?.limit === 'startRate') {
      line.next = clock.now() + excess.retryMs;
      if (line.next <= until) return false;
    }
    resolve(excess);
  } catch (error) {
    reject(error);
  }
  return true;
}
