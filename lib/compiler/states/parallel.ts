import { neededAction, toAction } from '../parts/actions.ts';
import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { given } from '../read/given.ts';
import { duration, list, needed, word } from '../read/shape.ts';

/** Calls several functions at once and waits for all, or for the first (workflow-language 10.5). */
export const parallel = defineState(
  'parallel',
  {
    actions: needed(list(neededAction, { as: 'actions' })),
    mode: word(['and', 'or']),
    timeout: duration,
    ...ONWARD,
  },
  ({ actions, mode = 'and', timeout, ...state }) => ({
    work: { do: 'all', actions: actions.map(toAction), mode, ...given({ timeout }) },
    exit: toExit(state),
  }),
);
