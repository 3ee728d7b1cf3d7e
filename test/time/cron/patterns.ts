import fc from '../../fast-check.ts';

/** A cron field as text, with its values computed without the parser. */
export interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
  readonly isOpen: boolean;
}

const upTo = (least: number, most: number, step = 1): number[] =>
  Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, index) => least + index * step);

function fieldOf(least: number, most: number): fc.Arbitrary<Field> {
  const value = fc.integer({ min: least, max: most });
  const step = fc.integer({ min: 2, max: most });
  const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  const parts = fc.oneof(
    value.map((one) => ({ text: String(one), values: [one] })),
    range.map(([from, to]) => ({ text: `${from}-${to}`, values: upTo(from, to) })),
    fc.tuple(range, step).map(([[from, to], by]) => ({ text: `${from}-${to}/${by}`, values: upTo(from, to, by) })),
    fc.tuple(value, step).map(([from, by]) => ({ text: `${from}/${by}`, values: upTo(from, most, by) })),
    step.map((by) => ({ text: `*/${by}`, values: upTo(least, most, by) })),
  );
  const listed = fc.array(parts, { minLength: 1, maxLength: 3 }).map((all) => ({
    text: all.map(({ text }) => text).join(','),
    values: new Set(all.flatMap(({ values }) => values)),
    isOpen: false,
  }));
  return fc.oneof(
    fc.constantFrom('*', '?', '*/1').map((text) => ({ text, values: new Set(upTo(least, most)), isOpen: true })),
    listed,
  );
}

/** Valid patterns of five fields. */
export const patterns = fc.record({
  minute: fieldOf(0, 59),
  hour: fieldOf(0, 23),
  monthDay: fieldOf(1, 31),
  month: fieldOf(1, 12),
  weekDay: fieldOf(0, 6),
});

type Pattern = typeof patterns extends fc.Arbitrary<infer T> ? T : never;

/** The pattern as it is written in a workflow. */
export const textOf = ({ minute, hour, monthDay, month, weekDay }: Pattern): string =>
  [minute, hour, monthDay, month, weekDay].map(({ text }) => text).join(' ');

/** The time that a wall clock shows. */
export interface WallTime {
  readonly minute: number;
  readonly hour: number;
  readonly monthDay: number;
  readonly month: number;
  readonly weekDay: number;
}

/** The rule of classic cron: where both day fields are restricted, a match of either is enough. */
export function matches(pattern: Pattern, wall: WallTime): boolean {
  const { minute, hour, monthDay, month, weekDay } = pattern;
  const isMonthDay = monthDay.values.has(wall.monthDay);
  const isWeekDay = weekDay.values.has(wall.weekDay);
  const isDay = monthDay.isOpen || weekDay.isOpen ? isMonthDay && isWeekDay : isMonthDay || isWeekDay;
  return isDay && minute.values.has(wall.minute) && hour.values.has(wall.hour) && month.values.has(wall.month);
}
