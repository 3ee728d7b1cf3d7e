import { mayWait } from '../plan/execution.ts';
import type { Plan } from '../plan/plan.ts';
import { emit } from './emit.ts';
import { STEPS_FUNCTION } from './waits.ts';

/**
 * The largest request that Step Functions accepts is 1 MB (aws-facts, 1.1). The definition is a string of its JSON, with an
 * escape before each quotation mark, and name, role, logging and tags of the machine take the rest.
 */
export const MAX_DEFINITION_BYTES = 1_000_000;
/** Bytes of a request besides the definition: headers, name, role, log group, 50 tags of 128 and 256 characters. */
const REST_OF_REQUEST = 24_000;
/** The longest ARN of the steps function, which replaces each placeholder: a name of 64 characters, region and account. */
const MAX_ARN_LENGTH = 130;
/** A machine with fewer waits is far below the limit, whatever their kinds: it is not made to be measured. */
const MIN_WAITS = 100;

/** The size of the largest machine of a plan as it is in a request, bytes; 0 for a small one. The machine that resumes runs has every wait. */
export function definitionBytes(plan: Plan): number {
  if (Object.values(plan.states).filter(mayWait).length < MIN_WAITS) return 0;
  const sizes = (['start', 'anyState'] as const).map((kind) => {
    const text = JSON.stringify(emit(plan, kind).definition);
    const calls = text.split(STEPS_FUNCTION).length - 1;
    return REST_OF_REQUEST + Buffer.byteLength(JSON.stringify(text)) + calls * (MAX_ARN_LENGTH - STEPS_FUNCTION.length);
  });
  return Math.max(...sizes);
}
