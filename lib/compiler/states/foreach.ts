import { neededAction, toAction } from '../parts/actions.ts';
import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { given } from '../read/given.ts';
import { duration, needed, query, type Shape, unchecked } from '../read/shape.ts';

/** The action must be there; what it says about retries and names is not looked at (workflow-language 1.7). */
const action: Shape<ReturnType<typeof neededAction>> = (node, place, reading) => {
  const read = node === undefined ? neededAction : unchecked(neededAction);
  return read(node, place, reading);
};

/** Calls a function once for each element of an array (workflow-language 10.4). */
export const foreach = defineState(
  'foreach',
  { array: needed(query), action, timeout: duration, ...ONWARD },
  ({ array, timeout, ...state }) => ({
    work: { do: 'each', array, action: toAction(state.action), ...given({ timeout }) },
    exit: toExit(state),
  }),
);
