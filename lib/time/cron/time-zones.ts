/** Formatters by time zone: making one takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Formatters cached. There are about 600 zones, and each name can be written in several cases. */
const MAX_FORMATS = 1000;

/** Returns true for a name of the IANA time zone database that this system knows, in any case. */
export function isTimezone(name: string): boolean {
  // Intl accepts offsets such as +01:00, EventBridge Scheduler does not.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the offset of the zone's wall clock from UTC at a moment (milliseconds since 1970), in milliseconds; positive
 * east of Greenwich. Throws RangeError for an unknown zone.
 */
export function offsetAt(moment: number, timezone: string): number {
  if (timezone === 'UTC') return 0;
  const second = Math.floor(moment / 1000) * 1000;
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(timezone).formatToParts(second)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, part['second'] ?? 0) - second;
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  const cached = formats.get(timezone);
  if (cached !== undefined) return cached;
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
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timezone, format);
  return format;
}
