import { omitUndefined } from '../../language/omit-undefined.ts';
import { createDecoder, duration, prefixed, required } from '../decoding/decoders.ts';
import { sentEvent, toEmittedEvent } from '../parts/sent-events.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

const delay = createDecoder({ kind: 'duration', words: ['immediate'] }, (node, field, context) =>
  node?.value === 'immediate' ? node.value : duration(node, field, context),
);

/** Sends an event to the namespace (workflow-language 10.14). */
export const generateEvent = defineState(
  'generateEvent',
  { event: required(prefixed(sentEvent)), delay, ...EXIT_FIELDS },
  ({ event, delay: wait, ...state }) => ({
    work: { do: 'emit', event: toEmittedEvent(event), ...omitUndefined({ delay: wait }) },
    exit: toExit(state),
  }),
);
