import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { scopeOf } from '../parts/variables.ts';
import { given } from '../read/given.ts';
import { record } from '../read/record.ts';
import { list, needed, query, text } from '../read/shape.ts';

const variable = record({
  scope: scopeOf(['instance', 'workflow', 'namespace', 'thread', 'system', 'file']),
  key: needed(query),
  as: text,
});

/** Reads variables into `var` (workflow-language 10.9). */
export const getter = defineState(
  'getter',
  { variables: needed(list(needed(variable), { as: 'variables' })), ...ONWARD },
  ({ variables, ...state }) => ({
    work: { do: 'read', variables: variables.map(({ key, scope, as }) => ({ key, scope, ...given({ as }) })) },
    exit: toExit(state),
  }),
);
