import { event, toFilter } from '../parts/event-filters.ts';
import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { given } from '../read/given.ts';
import { duration, needed, unchecked } from '../read/shape.ts';

/** Waits for one event (workflow-language 10.11). A timeout that is no duration counts as none (1.7). */
export const consumeEvent = defineState(
  'consumeEvent',
  { event: needed(event), timeout: unchecked(duration), ...ONWARD },
  ({ timeout, ...state }) => ({
    work: { do: 'listen', mode: 'one', events: [toFilter(state.event)], ...given({ timeout }) },
    exit: toExit(state),
  }),
);
