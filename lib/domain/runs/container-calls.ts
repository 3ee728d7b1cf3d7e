import type { Run } from './run.ts';

/** The key under which a call keeps the container's answer: the answer may be any value, a run's data is an object. */
const RESULT = 'result';

/** The data of a container call that returned `value`. */
export const keepResult = (value: unknown): Run['data'] => ({ [RESULT]: value });

/** The value that a complete child returns to its caller. */
export const resultOf = ({ service, data }: Run): unknown => (service === undefined ? data : data[RESULT]);

/**
 * Whether a container call failed without an error code. Such a failure is neither retried nor caught (workflow-language
 * reference, 7.5 and 11.3).
 */
export const isCrashedCall = ({ service, status }: Run): boolean => service !== undefined && status === 'crashed';

/** Whether the container of a call in a branch of mode `or` has been called (see `noteBegin`). */
export const isCallBegun = ({ service, step }: Run): boolean => service !== undefined && step > 0;
