import { omitUndefined } from '../../language/omit-undefined.ts';
import { duration, list, required } from '../decoding/decoders.ts';
import { object } from '../decoding/object.ts';
import { toFilter, typedEvent } from '../parts/event-filters.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

const branch = object({ event: required(typedEvent), ...EXIT_FIELDS });

/** Waits for the first of several events and continues with its exit (workflow-language 10.13). */
export const eventsXor = defineState(
  'eventsXor',
  { events: required(list(required(branch), { prefix: 'event', field: 'events' })), timeout: duration },
  ({ events, timeout }) => ({
    work: {
      do: 'listen-any',
      events: events.map(({ event, ...exit }) => ({ event: toFilter(event), ...toExit(exit) })),
      ...omitUndefined({ timeout }),
    },
  }),
  ['eventXor'],
);
