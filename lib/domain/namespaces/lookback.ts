import { addDuration, parseDuration } from '../../time/durations.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import { ServiceError } from '../errors.ts';

/** The retention of events. */
const MAX_DAYS = 30;

/**
 * Parses the setting `events.lookback`: how far waits look back, as an ISO 8601 duration; the empty text is 0. Returns
 * milliseconds. Throws `invalid`.
 */
export function fromText(text: string): number {
  if (text === '') return 0;
  const duration = parseDuration(text);
  if (duration === undefined) {
    const shown = text.slice(0, 60).toWellFormed();
    throw new ServiceError('invalid', `events.lookback: '${shown}' is not an ISO 8601 duration such as PT1H`);
  }
  const ms = addDuration(0, duration);
  if (ms <= MAX_DAYS * DAY_MS) return ms;
  throw new ServiceError('invalid', `events.lookback: events are kept for ${MAX_DAYS} days, write at most P30D`);
}

const UNITS = [
  ['H', HOUR_MS],
  ['M', MINUTE_MS],
  ['S', SECOND_MS],
] as const;

/** The shortest ISO 8601 duration of whole units for a time in milliseconds; empty for 0. */
export function toText(ms: number): string {
  if (ms === 0) return '';
  const days = Math.floor(ms / DAY_MS);
  let rest = ms % DAY_MS;
  let time = '';
  for (const [letter, unit] of UNITS) {
    const count = Math.floor(rest / unit);
    rest %= unit;
    if (count > 0) time += `${count}${letter}`;
  }
  return `P${days > 0 ? `${days}D` : ''}${time === '' ? '' : `T${time}`}`;
}
