import { duration } from '../../data/format/time.ts';

/** The positions of times on the axis. */
export interface Scale {
  /** The position of a period as style. */
  readonly place: (
    from: number,
    to: number,
  ) => { readonly left: string; readonly width: string; readonly visibility?: 'hidden' };
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

/** Steps that are easy to read: 1, 2 or 5 times a power of ten of milliseconds, or whole minutes, hours, days. */
const LONG_STEPS = [60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400].map((seconds) => seconds * 1000);

function stepFor(span: number, most: number): number {
  const least = span / most;
  if (least < 60_000) {
    const power = 10 ** Math.floor(Math.log10(Math.max(least, 0.1)));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least) ?? least;
    // 20 and 50 s do not divide a minute well.
    return step >= 20_000 ? 30_000 : step;
  }
  return LONG_STEPS.find((step) => step >= least) ?? Math.ceil(least / 86_400_000) * 86_400_000;
}

/** A period, milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A span scaled by a factor around an instant, within `all`; undefined for all of it. */
export function zoomed(shown: Span, all: Span, factor: number, around: number): Span | undefined {
  const length = (shown.to - shown.from) * factor;
  if (length >= all.to - all.from) return undefined;
  const from = Math.max(all.from, Math.min(all.to - length, around - length / 2));
  return { from, to: from + length };
}

/** The scale of a span with at most `most` ticks, counted from `origin`, the start of the run. */
export function scaleOf({ from, to }: Span, origin: number, most: number): Scale {
  const span = Math.max(to - from, 1);
  const percent = (at: number): number => Math.max(0, Math.min(100, ((at - from) / span) * 100));
  const step = stepFor(span, most);
  const first = Math.ceil((from - origin) / step);
  const count = Math.max(0, Math.floor((from + span - origin) / step) - first + 1);
  const ticks = Array.from({ length: count }, (_, index) => {
    const after = (first + index) * step;
    return { at: percent(origin + after), text: after === 0 ? '0' : duration(after) };
  });
  return {
    // A label near the end would not fit.
    ticks: ticks.filter(({ at }) => at < 94),
    place: (start, end) => {
      const left = percent(start);
      const bar = { left: `${left.toFixed(3)}%`, width: `${(percent(end) - left).toFixed(3)}%` };
      return end < from || start > to ? { ...bar, visibility: 'hidden' as const } : bar;
    },
  };
}
