/** The only source of time and chance. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** A UUID version 7: sorts by time. */
  uuid(): string;
  /** Unguessable text of 43 URL-safe characters (256 bits). */
  secret(): string;
}
