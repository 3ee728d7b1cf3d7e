import { neededAction, toAction } from '../actions.ts';
import { given } from '../given.ts';
import { duration, list, needed, word } from '../shape.ts';
import { defineState, ONWARD, toExit } from '../state.ts';

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
