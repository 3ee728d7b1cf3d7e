import { bytesOf, type Level, type LogLine, type Run } from '../../../domain/runs/runs.ts';
import type { Clock } from '../../../ports/clock.ts';

/** A log line is cut here, in characters: the lines of a batch are written as one text. */
const MAX_LINE_LENGTH = 256 * 1024;

/** A text as it fits into a log line: a longer one is cut and ends in an ellipsis. */
export const truncateLine = (text: string): string =>
  text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;

/** The log lines of a run that wait for its commit, after those that its item holds already. */
export class LogBuffer {
  private readonly clock: Clock;
  private readonly tail: LogLine[];
  private lastLine: number;
  private length = 0;
  /** The text of all lines of the run, bytes. */
  bytes: number;

  constructor(clock: Clock, { tail, lastLine, flushedBytes = 0 }: Pick<Run, 'tail' | 'lastLine' | 'flushedBytes'>) {
    this.clock = clock;
    this.tail = [...tail];
    this.lastLine = lastLine;
    this.bytes = flushedBytes + bytesOf(tail);
  }

  /** Adds a line about what happened at a time, milliseconds since 1970; `state` is empty for a line that no state writes. */
  add(text: string, level: Level, state: string, at = this.clock.now()): void {
    this.lastLine = Math.max(this.lastLine + 1, at * 1000);
    const shown = truncateLine(text);
    this.tail.push({ t: this.lastLine, level, text: shown, ...(state === '' ? {} : { state }) });
    this.length += shown.length;
    this.bytes += Buffer.byteLength(shown);
  }

  /** The lines in memory; each KiB of the added text counts as one more. */
  get size(): number {
    return this.tail.length + Math.floor(this.length / 1024);
  }

  /** When the newest line was added, milliseconds since 1970. */
  get lastTime(): number {
    return Math.floor(this.lastLine / 1000);
  }

  /** The part of the run that holds the lines. */
  get stored(): Pick<Run, 'tail' | 'lastLine'> {
    return { tail: this.tail, lastLine: this.lastLine };
  }
}
