import { leaveWithInput, NO_EVENTS, type StateHandler } from './handler.ts';

/** Goes on at once: only its Assign and its Output have an effect. */
export const pass: StateHandler = { events: NO_EVENTS, enter: leaveWithInput };
