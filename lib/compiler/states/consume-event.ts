import { omitUndefined } from '../../language/omit-undefined.ts';
import { duration, required, unvalidated } from '../decoding/decoders.ts';
import { event, toFilter } from '../parts/event-filters.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

/** Waits for one event (workflow-language 10.11). A timeout that is not a duration counts as none (1.7). */
export const consumeEvent = defineState(
  'consumeEvent',
  { event: required(event), timeout: unvalidated(duration), ...EXIT_FIELDS },
  ({ timeout, ...state }) => ({
    work: { do: 'listen', mode: 'one', events: [toFilter(state.event)], ...omitUndefined({ timeout }) },
    exit: toExit(state),
  }),
);
