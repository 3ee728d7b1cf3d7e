import { neededAction, toAction } from '../parts/actions.ts';
import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { given } from '../read/given.ts';
import { duration, flag } from '../read/shape.ts';

/** Calls a function, and unless it is async waits for the result (workflow-language 10.3). */
export const action = defineState(
  'action',
  { action: neededAction, async: flag, timeout: duration, ...ONWARD },
  ({ async = false, timeout, ...state }) => ({
    work: { do: 'call', action: toAction(state.action), async, ...given({ timeout }) },
    exit: toExit(state),
  }),
);
