/** Making a formatter takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** There are about 600 names; they can be written in any case. */
const MOST_FORMATS = 1000;

/** True for a name of the IANA time zone database that this system knows. */
export function isTimezone(name: string): boolean {
  // Offsets such as +01:00 are understood here, but not by EventBridge Scheduler.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** How far the wall clock of the zone is ahead of UTC at that moment, in milliseconds. Throws RangeError for an unknown zone. */
export function offsetAt(moment: number, timezone: string): number {
  if (timezone === 'UTC') return 0;
  const second = Math.floor(moment / 1000) * 1000;
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(timezone).formatToParts(second)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, part['second'] ?? 0) - second;
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formats.size >= MOST_FORMATS) formats.clear();
  formats.set(timezone, format);
  return format;
}
