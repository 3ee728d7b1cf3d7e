import { toFilter, typedEvent } from '../parts/event-filters.ts';
import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { given } from '../read/given.ts';
import { record } from '../read/record.ts';
import { duration, list, needed } from '../read/shape.ts';

const branch = record({ event: needed(typedEvent), ...ONWARD });

/** Waits for the first of several events and goes on by its branch (workflow-language 10.13). */
export const eventsXor = defineState(
  ['eventsXor', 'eventXor'],
  { events: needed(list(needed(branch), { as: 'event', slot: 'events' })), timeout: duration },
  ({ events, timeout }) => ({
    work: {
      do: 'listen-any',
      events: events.map(({ event, ...exit }) => ({ event: toFilter(event), ...toExit(exit) })),
      ...given({ timeout }),
    },
  }),
);
