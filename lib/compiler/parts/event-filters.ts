import { dictionary, required, text } from '../decoding/decoders.ts';
import { object } from '../decoding/object.ts';
import type { EventFilter } from '../plan/plan.ts';

/** An event to wait for or to start with, with a required type. */
export const typedEvent = object({ type: required(text), context: dictionary });

/** The same without a required type, where the original does not check it (workflow-language 1.7). */
export const event = object({ type: text, context: dictionary });

/**
 * Returns the filter in the plan. Names of attributes are in lower case (workflow-language 3); the empty type of an event
 * without a type matches no event.
 */
export function toFilter({ type = '', context }: NonNullable<ReturnType<typeof event>>): EventFilter {
  const lowered = Object.entries(context).map(([name, value]) => [name.toLowerCase(), value]);
  return { type, context: Object.fromEntries(lowered) };
}
