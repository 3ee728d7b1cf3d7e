import { toFilter, typedEvent } from '../parts/event-filters.ts';
import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { given } from '../read/given.ts';
import { duration, list, needed } from '../read/shape.ts';

/** Waits until every one of several events has come (workflow-language 10.12). */
export const eventsAnd = defineState(
  ['eventsAnd', 'eventAnd'],
  { events: needed(list(needed(typedEvent), { as: 'event' })), timeout: duration, ...ONWARD },
  ({ events, timeout, ...state }) => ({
    work: { do: 'listen', mode: 'all', events: events.map(toFilter), ...given({ timeout }) },
    exit: toExit(state),
  }),
);
