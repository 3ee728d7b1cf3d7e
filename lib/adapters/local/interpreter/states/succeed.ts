import { leaveWithInput, NO_EVENTS, type StateHandler } from './handler.ts';

/** Ends the branch. It has no Next. */
export const succeed: StateHandler = { events: NO_EVENTS, enter: leaveWithInput };
