import { ERRORS, StatesError } from './states-error.ts';

/** Quotas of Step Functions that an execution can reach, and limits of the journal. */
export interface Limits {
  /** Bytes of a state's input or output, and of one Assign. */
  readonly bytes: number;
  /** Bytes of all variables of one scope. */
  readonly variableBytes: number;
  /** History events of a STANDARD execution. */
  readonly events: number;
  /** Seconds that an EXPRESS execution may last. */
  readonly expressSeconds: number;
  /** Concurrent iterations of an inline Map. */
  readonly mapWidth: number;
  /** Ended executions that the journal keeps at most. */
  readonly kept: number;
  /** Days that the journal keeps an ended execution. */
  readonly keptDays: number;
  /** Concurrent function calls, in all and of one tenant; the tenants of further calls take turns. */
  readonly calls: { readonly total: number; readonly perTenant: number };
}

/** The quotas of Step Functions (developer guide, "Quotas"), and the defaults of the journal. */
export const LIMITS: Limits = {
  bytes: 262_144,
  variableBytes: 10_485_760,
  events: 25_000,
  expressSeconds: 300,
  mapWidth: 40,
  kept: 10_000,
  keptDays: 1,
  calls: { total: 400, perTenant: 100 },
};

/**
 * The value as JSON text; `what` names it in the error.
 * @throws StatesError States.DataLimitExceeded above `limit` bytes.
 */
export function textWithin(limit: number, what: string, value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  assertWithin(limit, what, text);
  return text;
}

/** @throws StatesError States.DataLimitExceeded for a text of more than `limit` bytes; `what` names it in the error. */
export function assertWithin(limit: number, what: string, text: string): void {
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need no counting.
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return;
  throw new StatesError(ERRORS.dataLimit, `${what} is larger than ${limit} bytes`);
}
