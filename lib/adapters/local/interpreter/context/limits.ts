import { ERRORS, StateFailure } from './failure.ts';

/** Quotas of Step Functions that a machine can run into, and what the journal keeps. */
export interface Limits {
  /** Bytes of a state's input or output, and of one Assign. */
  readonly bytes: number;
  /** Bytes of all the variables of a scope. */
  readonly variableBytes: number;
  /** History events of a standard execution. */
  readonly events: number;
  /** Seconds an express execution may last. */
  readonly expressSeconds: number;
  /** Iterations of an inline Map at a time. */
  readonly mapWidth: number;
  /** Finished executions that the journal keeps at most. */
  readonly kept: number;
  /** Days that the journal keeps a finished execution. */
  readonly keptDays: number;
  /** Functions called at a time; further calls wait their turn. */
  readonly calls: number;
}

export const LIMITS: Limits = {
  bytes: 262_144,
  variableBytes: 10_485_760,
  events: 25_000,
  expressSeconds: 300,
  mapWidth: 40,
  kept: 10_000,
  keptDays: 1,
  calls: 100,
};

/** The value's JSON text. Throws the failure States.DataLimitExceeded above the limit. */
export function textWithin(limit: number, what: string, value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  assertWithin(limit, what, text);
  return text;
}

/** Throws the failure States.DataLimitExceeded for a text of more bytes than the limit. */
export function assertWithin(limit: number, what: string, text: string): void {
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need no counting.
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return;
  throw new StateFailure(ERRORS.dataLimit, `${what} is larger than ${limit} bytes`);
}
