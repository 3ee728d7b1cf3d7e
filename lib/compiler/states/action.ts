import { omitUndefined } from '../../language/omit-undefined.ts';
import { duration, flag } from '../decoding/decoders.ts';
import { action as decodeAction, toAction } from '../parts/actions.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

/** Calls a function and waits for its result; if it is async, does not wait (workflow-language 10.3). */
export const action = defineState(
  'action',
  { action: decodeAction, async: flag, timeout: duration, ...EXIT_FIELDS },
  ({ async = false, timeout, ...state }) => ({
    work: { do: 'call', action: toAction(state.action), async, ...omitUndefined({ timeout }) },
    exit: toExit(state),
  }),
);
