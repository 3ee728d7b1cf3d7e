import { defineState, ONWARD, toExit } from '../parts/state.ts';

/** Does nothing but what every state can: log, transform, go on (workflow-language 10.1). */
export const noop = defineState('noop', ONWARD, (state) => ({ work: { do: 'nothing' }, exit: toExit(state) }));
