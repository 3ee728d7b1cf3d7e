import { omitUndefined } from '../../language/omit-undefined.ts';
import { duration, list, oneOf, required } from '../decoding/decoders.ts';
import { action, toAction } from '../parts/actions.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

/** Calls several functions at once and waits for all of them, or for the first (workflow-language 10.5). */
export const parallel = defineState(
  'parallel',
  {
    actions: required(list(action, { prefix: 'actions' })),
    mode: oneOf(['and', 'or']),
    timeout: duration,
    ...EXIT_FIELDS,
  },
  ({ actions, mode = 'and', timeout, ...state }) => ({
    work: { do: 'all', actions: actions.map(toAction), mode, ...omitUndefined({ timeout }) },
    exit: toExit(state),
  }),
);
