const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const twoDigits = (value: number): string => String(value).padStart(2, '0');
const dayText = (date: Date): string => `${date.getFullYear()}-${monthDay(date)}`;

/** `14:05`. */
export const clockText = (date: Date): string => `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;

/** `11-20`. */
export const monthDay = (date: Date): string => `${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;

/** The instant of a timestamp, milliseconds since 1970; fractions below a millisecond are kept. */
export function instantOf(timestamp: string): number {
  const fraction = /\.\d{3}(\d+)/.exec(timestamp)?.[1];
  const below = fraction === undefined ? 0 : Number(`0.${fraction}`);
  return Date.parse(timestamp) + below;
}

/** `now`, `12 s ago`, `in 3 min`, `yesterday 14:05`, `2026-11-20 14:05`. */
export function relativeTime(at: number, now: number): string {
  const past = now - at;
  const span = Math.abs(past);
  if (span < SECOND) return 'now';
  const isToday = span < HOUR;
  if (isToday) {
    const text = span < MINUTE ? `${Math.floor(span / SECOND)} s` : `${Math.floor(span / MINUTE)} min`;
    return past > 0 ? `${text} ago` : `in ${text}`;
  }
  return dateText(at, now, past);
}

function dateText(at: number, now: number, past: number): string {
  const date = new Date(at);
  const days = Math.round((new Date(dayText(new Date(now))).getTime() - new Date(dayText(date)).getTime()) / DAY);
  if (days === 0) return past > 0 ? `${Math.floor(past / HOUR)} h ago` : `today ${clockText(date)}`;
  if (days === 1) return `yesterday ${clockText(date)}`;
  if (days === -1) return `tomorrow ${clockText(date)}`;
  return `${dayText(date)} ${clockText(date)}`;
}

/** The exact time with milliseconds, in the zone of the browser and in UTC. */
export function exactTime(at: number): string {
  const date = new Date(at);
  const seconds = `${twoDigits(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
  return `${dayText(date)} ${clockText(date)}:${seconds} (${date.toISOString()})`;
}

/** `14:05:07.123`: for lines of a log. */
export function clockTime(at: number): string {
  const date = new Date(at);
  const milliseconds = String(date.getMilliseconds()).padStart(3, '0');
  return `${clockText(date)}:${twoDigits(date.getSeconds())}.${milliseconds}`;
}

const significant = (value: number): string => (value < 10 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0));

const paired = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;

/** A duration in about two significant figures: `3 ms`, `4.2 s`, `3 min 20 s`, `2 d 4 h`. */
export function duration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < 999.5) return `${significant(ms)} ms`;
  if (ms < 59_950) return `${significant(ms / SECOND)} s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 600) return paired(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 1440) return paired(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(ms / HOUR);
  return paired(Math.floor(hours / 24), 'd', hours % 24, 'h');
}
