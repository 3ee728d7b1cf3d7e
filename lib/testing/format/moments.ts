import { addDuration, parseDuration } from '../../time/durations.ts';

/** A span of time: an ISO 8601 duration that has been checked, or milliseconds. */
export type Span = string | number;

/** The moment after a span, both moments in milliseconds since 1970. */
export function momentAfter(from: number, span: Span): number {
  if (typeof span === 'number') return from + span;
  const duration = parseDuration(span);
  return duration === undefined ? from : addDuration(from, duration);
}

/** Milliseconds of a span from a moment without calendar. */
export const milliseconds = (span: Span): number => momentAfter(0, span);
