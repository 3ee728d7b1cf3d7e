import { omitUndefined } from '../../language/omit-undefined.ts';
import { createDecoder, dictionary, duration, prefixed, query, required, text } from '../decoding/decoders.ts';
import { object } from '../decoding/object.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

const event = object({
  type: required(text),
  source: required(text),
  data: query,
  datacontenttype: text,
  context: dictionary,
});

const delay = createDecoder({ kind: 'duration', words: ['immediate'] }, (node, field, context) =>
  node?.value === 'immediate' ? node.value : duration(node, field, context),
);

/** Sends an event to the namespace (workflow-language 10.14). */
export const generateEvent = defineState(
  'generateEvent',
  { event: required(prefixed(event)), delay, ...EXIT_FIELDS },
  ({ event: { type, source, context, ...rest }, delay: wait, ...state }) => ({
    work: { do: 'emit', event: { type, source, context, ...omitUndefined(rest) }, ...omitUndefined({ delay: wait }) },
    exit: toExit(state),
  }),
);
