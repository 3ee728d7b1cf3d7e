import type { Value } from '../../ports/table.ts';
import type { Level, LogLine } from './run.ts';

/** A stored line: the microseconds since the line before it, or since 1970, the text, the state, the level if not `info`. */
type StoredLine = readonly [t: number, text: string, state?: string, level?: Level];

/** The log lines in the item of a run as text: shorter than as objects, so that a small run costs one write unit. */
export function tailText(lines: readonly LogLine[]): string {
  const stored = lines.map(({ t, level, text, state }, index): StoredLine => {
    const since = t - (lines[index - 1]?.t ?? 0);
    if (level !== 'info') return [since, text, state ?? '', level];
    return state === undefined ? [since, text] : [since, text, state];
  });
  return JSON.stringify(stored);
}

/** The inverse of `tailText`. */
export function tailFrom(value: Value | undefined): LogLine[] {
  const stored = JSON.parse(String(value)) as readonly StoredLine[];
  let last = 0;
  return stored.map(([since, text, state = '', level = 'info']) => {
    last += since;
    return { t: last, level, text, ...(state === '' ? {} : { state }) };
  });
}
