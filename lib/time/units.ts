/** A second, in milliseconds. */
export const SECOND_MS = 1000;

/** A minute, in milliseconds. */
export const MINUTE_MS = 60 * SECOND_MS;

/** An hour, in milliseconds. */
export const HOUR_MS = 60 * MINUTE_MS;

/** A day of 24 hours, in milliseconds. */
export const DAY_MS = 24 * HOUR_MS;

/** A day of 24 hours, in seconds: the unit of DynamoDB's time to live. */
export const DAY_SECONDS = DAY_MS / SECOND_MS;

/** A millisecond, in microseconds. */
export const MILLISECOND_US = 1000;
