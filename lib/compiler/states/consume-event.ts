import { event, toFilter } from '../events.ts';
import { given } from '../given.ts';
import { duration, needed, unchecked } from '../shape.ts';
import { defineState, ONWARD, toExit } from '../state.ts';

/** Waits for one event (workflow-language 10.11). A timeout that is no duration counts as none (1.7). */
export const consumeEvent = defineState(
  'consumeEvent',
  { event: needed(event), timeout: unchecked(duration), ...ONWARD },
  ({ timeout, ...state }) => ({
    work: { do: 'listen', mode: 'one', events: [toFilter(state.event)], ...given({ timeout }) },
    exit: toExit(state),
  }),
);
