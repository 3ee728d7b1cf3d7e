import { addDuration, parseDuration } from '../../time/durations.ts';
import { ServiceError } from '../errors.ts';

const DAY_MS = 86_400_000;
/** Events are not kept for longer. */
const LONGEST_DAYS = 30;

/** How far waits look back, milliseconds, from an ISO 8601 duration; the empty text is not at all. Throws `invalid`. */
export function fromText(text: string): number {
  if (text === '') return 0;
  const duration = parseDuration(text);
  if (duration === undefined) {
    const shown = text.slice(0, 60).toWellFormed();
    throw new ServiceError('invalid', `events.lookback: '${shown}' is not an ISO 8601 duration such as PT1H`);
  }
  const ms = addDuration(0, duration);
  if (ms <= LONGEST_DAYS * DAY_MS) return ms;
  throw new ServiceError('invalid', `events.lookback: events are kept for ${LONGEST_DAYS} days, write at most P30D`);
}

const UNITS = [
  ['H', 3_600_000],
  ['M', 60_000],
  ['S', 1000],
] as const;

/** The shortest text of whole units for a time in milliseconds; empty for none. */
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
