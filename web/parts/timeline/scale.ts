import { duration } from '../../data/format/time.ts';

/** The position of a period as style. */
type Place = { readonly left: string; readonly width: string; readonly visibility?: 'hidden' };

/** The positions of times on the axis. */
export interface Scale {
  readonly place: (from: number, to: number) => Place;
  /** The periods that are shown shorter than they are, and how long they are. */
  readonly breaks: readonly (Span & { readonly place: Place; readonly text: string })[];
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

/** A gap dwarfs all shorter ones if it is so many times as long as their sum. */
const DWARFS = 4;
/** What is shorter than this together, milliseconds, would have no visible length on any scale. */
const LEAST_SHOWN = 1;
/** Shorter gaps, milliseconds, keep their length: a reader compares them. */
const LEAST_SHORTENED = 500;
/** The part of the axis that the shortened gaps take together, at most; and one of them. */
const MOST_SHORTENED = 0.5;
const ONE_SHORTENED = 0.18;

/**
 * The gaps between instants in which nothing changes and which dwarf everything else, so that nothing else would have a
 * visible length. They are shown shorter than they are.
 */
function dwarfingGaps({ from, to }: Span, instants: readonly number[]): readonly Span[] {
  const inside = instants.filter((at) => at > from && at < to);
  const all = [from, ...new Set(inside.toSorted((a, b) => a - b)), to];
  const gaps = all.slice(1).map((end, index) => ({ from: all[index] ?? end, to: end }));
  const lengthOf = (gap: Span): number => gap.to - gap.from;
  const ordered = gaps.toSorted((a, b) => lengthOf(a) - lengthOf(b));
  let sum = 0;
  const dwarfed = ordered.map((gap) => {
    const isDwarfing = sum >= LEAST_SHOWN && lengthOf(gap) > Math.max(DWARFS * sum, LEAST_SHORTENED);
    sum += lengthOf(gap);
    return isDwarfing;
  });
  const first = dwarfed.lastIndexOf(true);
  return first < 0 ? [] : ordered.slice(first).toSorted((a, b) => a.from - b.from);
}

/** The position of an instant on an axis of length 1 on which these gaps are shortened. */
function positionsOf({ from, to }: Span, gaps: readonly Span[]): (at: number) => number {
  const share = gaps.length === 0 ? 0 : Math.min(ONE_SHORTENED, MOST_SHORTENED / gaps.length);
  const rest = to - from - gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0);
  const unit = (1 - share * gaps.length) / Math.max(rest, 1);
  return (at) => {
    const moment = Math.max(from, Math.min(to, at));
    const passed = gaps.map((gap) => Math.max(0, Math.min(gap.to, moment) - gap.from));
    const outside = moment - from - passed.reduce((sum, length) => sum + length, 0);
    const shortened = gaps.reduce((sum, gap, index) => sum + ((passed[index] ?? 0) / (gap.to - gap.from)) * share, 0);
    return outside * unit + shortened;
  };
}

/** The scale of a span. */
interface Scaling {
  readonly shown: Span;
  /** The start of the run, from which times are counted. */
  readonly origin: number;
  readonly mostTicks: number;
  /** When something began or ended. */
  readonly instants: readonly number[];
}

/** The scale of a span, on which waits that dwarf everything else are shortened. */
export function scaleOf({ shown, origin, mostTicks, instants }: Scaling): Scale {
  const { from, to } = { from: shown.from, to: Math.max(shown.to, shown.from + 1) };
  const gaps = dwarfingGaps({ from, to }, instants);
  const position = positionsOf({ from, to }, gaps);
  const percent = (at: number): number => position(at) * 100;
  const step = stepFor(to - from, mostTicks);
  const first = Math.ceil((from - origin) / step);
  const count = Math.max(0, Math.floor((to - origin) / step) - first + 1);
  const regular = Array.from({ length: count }, (_, index) => {
    const after = (first + index) * step;
    return { at: percent(origin + after), text: after === 0 ? '0' : duration(after) };
  });
  const place = (start: number, end: number) => {
    const left = percent(start);
    const bar = { left: `${left.toFixed(3)}%`, width: `${(percent(end) - left).toFixed(3)}%` };
    return end < from || start > to ? { ...bar, visibility: 'hidden' as const } : bar;
  };
  return {
    // A label near the end would not fit. Regular distances would say nothing beside a shortened wait.
    ticks: gaps.length > 0 ? [] : regular.filter(({ at }) => at < 94),
    breaks: gaps.map((gap) => ({ ...gap, place: place(gap.from, gap.to), text: duration(gap.to - gap.from) })),
    place,
  };
}
