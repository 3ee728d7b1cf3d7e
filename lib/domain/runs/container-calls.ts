import type { Run } from './runs.ts';

/** Where a call keeps what its container answered: that may be any value, and a run's data is an object. */
const RESULT = 'result';

export const keepResult = (value: unknown): Run['data'] => ({ [RESULT]: value });

/** What a child that is complete hands to its caller. */
export const resultOf = ({ service, data }: Run): unknown => (service === undefined ? data : data[RESULT]);

/**
 * Whether a call failed without a code: that is nobody's to repeat or to catch (workflow-language reference, 7.5 and
 * 11.3).
 */
export const isBroken = ({ service, status }: Run): boolean => service !== undefined && status === 'crashed';

/** Whether somebody has begun to call the container for a child of a state that the first answer decides. */
export const isBegun = ({ service, step }: Run): boolean => service !== undefined && step > 0;
