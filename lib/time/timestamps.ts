/**
 * Formats milliseconds since 1970 as an RFC 3339 timestamp in UTC with 0 or 3 fractional digits, whichever is enough
 * (the JSON form of a protobuf timestamp). Throws RangeError for a moment that Date cannot represent.
 */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Formats microseconds since 1970 in the same way, with 0, 3 or 6 fractional digits. */
export function toFineTimestamp(microseconds: number): string {
  const ms = Math.floor(microseconds / 1000);
  const rest = microseconds - ms * 1000;
  if (rest === 0) return toTimestamp(ms);
  return new Date(ms).toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}
