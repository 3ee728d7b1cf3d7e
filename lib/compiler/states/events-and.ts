import { omitUndefined } from '../../language/omit-undefined.ts';
import { duration, list, required } from '../decoding/decoders.ts';
import { toFilter, typedEvent } from '../parts/event-filters.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

/** Waits for all of several events (workflow-language 10.12). */
export const eventsAnd = defineState(
  'eventsAnd',
  { events: required(list(required(typedEvent), { prefix: 'event' })), timeout: duration, ...EXIT_FIELDS },
  ({ events, timeout, ...state }) => ({
    work: { do: 'listen', mode: 'all', events: events.map(toFilter), ...omitUndefined({ timeout }) },
    exit: toExit(state),
  }),
  ['eventAnd'],
);
