import type { Ports } from '../../ports/ports.ts';
import { toFineTimestamp } from '../../time/timestamps.ts';
import type { RecordedStep } from '../runs/records.ts';
import * as runs from '../runs/runs.ts';

/** The most lines of a step in a reply. */
const MAX_LINES = 200;
/** The most lines of the log that are read from its beginning, and from its end, to find those of a step. */
const MAX_READ = 20_000;

const US_PER_MS = 1000;

/** Lines of a log, and whether the step has further ones. */
export interface StepLines {
  readonly lines: readonly { readonly t: string; readonly level: string; readonly msg: string }[];
  readonly more?: true;
}

/** Collects the lines of one visit of a state. */
class Collector {
  readonly found: runs.LogLine[] = [];
  readonly #state: string;
  readonly #from: number;
  readonly #to: number;

  constructor({ state, entered, left }: Pick<RecordedStep, 'state' | 'entered' | 'left'>) {
    this.#state = state;
    this.#from = entered * US_PER_MS;
    // The whole millisecond of the end belongs to the visit.
    this.#to = left === undefined ? Number.POSITIVE_INFINITY : (left + 1) * US_PER_MS - 1;
  }

  /** Takes lines, the oldest first; false when no later line can belong to the visit. */
  take(lines: readonly runs.LogLine[]): boolean {
    for (const line of lines) {
      if (line.t > this.#to || this.found.length > MAX_LINES) return false;
      if (line.t >= this.#from && line.state === this.#state) this.found.push(line);
    }
    return true;
  }
}

/**
 * Returns the log lines that a run wrote while it was in a state, the oldest first. A line belongs to a visit by its state
 * and its time; two visits of a state within a millisecond share their lines. Of a very long log only the beginning
 * and the end are searched.
 */
export async function linesOfStep(
  ports: Pick<Ports, 'table' | 'blobs'>,
  run: runs.Run,
  step: Pick<RecordedStep, 'state' | 'entered' | 'left'>,
): Promise<StepLines> {
  const collector = new Collector(step);
  const search = async (from: number, limit: number): Promise<boolean> => {
    let read = 0;
    for await (const part of runs.logParts(ports, run, from)) {
      if (!collector.take(part)) return true;
      read += part.length;
      if (read >= limit) return false;
    }
    return true;
  };
  const isOver = await search(0, MAX_READ);
  const rest = Math.max(run.flushed + run.tail.length - MAX_READ, 0);
  if (!isOver && collector.found.length === 0) await search(rest, MAX_READ);
  const lines = collector.found
    .slice(0, MAX_LINES)
    .map(({ t, level, text }) => ({ t: toFineTimestamp(t), level, msg: text }));
  return { lines, ...(collector.found.length > MAX_LINES && { more: true as const }) };
}
