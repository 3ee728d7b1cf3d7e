import { addDuration, parseDuration } from '../../time/durations.ts';

const DEFAULT_TIMEOUT = parseDuration('PT15M');

/** When a wait ends that begins at `from`, milliseconds since 1970. `timeout`: an ISO 8601 duration; default PT15M. */
export function endOfWait(from: number, timeout: string | undefined): number {
  const duration = (timeout === undefined ? undefined : parseDuration(timeout)) ?? DEFAULT_TIMEOUT;
  return duration === undefined ? from : addDuration(from, duration);
}
