/** The only source of time and randomness. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns a UUID of version 7, which sorts by time. */
  uuid(): string;
  /** Returns 256 random bits as 43 URL-safe characters. */
  secret(): string;
}
