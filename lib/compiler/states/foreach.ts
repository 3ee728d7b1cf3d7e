import { omitUndefined } from '../../language/omit-undefined.ts';
import { createDecoder, duration, oneOf, positive, query, required, unvalidated } from '../decoding/decoders.ts';
import { action as decodeAction, toAction } from '../parts/actions.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

/** A required action whose retries and function are not validated, as in the original (workflow-language 1.7). */
const uncheckedAction = unvalidated(decodeAction);

const action = createDecoder({ ...uncheckedAction.accepts, isRequired: true }, (node, field, context) => {
  const decode = node === undefined ? decodeAction : uncheckedAction;
  return decode(node, field, context);
});

/** Calls a function once for each element of an array (workflow-language 10.4). */
export const foreach = defineState(
  'foreach',
  { array: required(query), action, width: positive, collect: oneOf(['errors']), timeout: duration, ...EXIT_FIELDS },
  ({ array, width, collect, timeout, ...state }) => ({
    work: { do: 'each', array, action: toAction(state.action), ...omitUndefined({ width, collect, timeout }) },
    exit: toExit(state),
  }),
);
