import type { EventFilter } from '../plan/plan.ts';
import { record } from '../read/record.ts';
import { freeMap, needed, text } from '../read/shape.ts';

/** An event to wait for or to start with, whose type must be there. */
export const typedEvent = record({ type: needed(text), context: freeMap });

/** The same where the original does not ask for the type (workflow-language 1.7). */
export const event = record({ type: text, context: freeMap });

/** Names of attributes are compared in lower case (workflow-language 3). An event without a type never comes. */
export function toFilter({ type = '', context }: NonNullable<ReturnType<typeof event>>): EventFilter {
  const lowered = Object.entries(context).map(([name, value]) => [name.toLowerCase(), value]);
  return { type, context: Object.fromEntries(lowered) };
}
