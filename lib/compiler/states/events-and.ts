import { toFilter, typedEvent } from '../events.ts';
import { given } from '../given.ts';
import { duration, list, needed } from '../shape.ts';
import { defineState, ONWARD, toExit } from '../state.ts';

/** Waits until every one of several events has come (workflow-language 10.12). */
export const eventsAnd = defineState(
  ['eventsAnd', 'eventAnd'],
  { events: needed(list(needed(typedEvent), { as: 'event' })), timeout: duration, ...ONWARD },
  ({ events, timeout, ...state }) => ({
    work: { do: 'listen', mode: 'all', events: events.map(toFilter), ...given({ timeout }) },
    exit: toExit(state),
  }),
);
