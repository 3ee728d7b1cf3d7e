/** RFC 3339 in UTC with no more fractional digits than are needed: 0 or 3 (protobuf's JSON form of a timestamp). */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** The same for microseconds since 1970: 0, 3 or 6 digits. */
export function toFineTimestamp(microseconds: number): string {
  const ms = Math.floor(microseconds / 1000);
  const rest = microseconds - ms * 1000;
  if (rest === 0) return toTimestamp(ms);
  return new Date(ms).toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}
