import { omitUndefined } from '../../language/omit-undefined.ts';
import { dictionary, query, required, text } from '../decoding/decoders.ts';
import { object } from '../decoding/object.ts';
import type { EmittedEvent } from '../plan/plan.ts';

/** An event to send. */
export const sentEvent = object({
  type: required(text),
  source: required(text),
  data: query,
  datacontenttype: text,
  context: dictionary,
});

/** Returns the event in the plan. */
export function toEmittedEvent({
  type,
  source,
  context,
  ...rest
}: NonNullable<ReturnType<typeof sentEvent>>): EmittedEvent {
  return { type, source, context, ...omitUndefined(rest) };
}
