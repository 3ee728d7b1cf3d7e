import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { scopeOf } from '../parts/variables.ts';
import { given } from '../read/given.ts';
import { refuse } from '../read/reading.ts';
import { record } from '../read/record.ts';
import { anyText, list, needed, query, type Shape } from '../read/shape.ts';

/** A value that is left out is the whole data; an empty text is refused, as it would delete. */
const value: Shape<unknown> = (node, place, reading) => {
  if (node?.value === '')
    refuse(reading, node, 'value required', () => 'to delete the variable, store {} or null by a query');
  return query(node, place, reading);
};

/** Fields that are not known are let pass here, and only here (workflow-language 1.2). */
const variable = record(
  {
    scope: scopeOf(['instance', 'workflow', 'namespace', 'thread']),
    key: needed(query),
    value,
    mimeType: anyText,
  },
  { isLenient: true },
);

/** Stores variables (workflow-language 10.10). */
export const setter = defineState(
  'setter',
  { variables: needed(list(needed(variable), { as: 'variables' })), ...ONWARD },
  ({ variables, ...state }) => ({
    work: {
      do: 'write',
      variables: variables.map(({ key, scope, ...rest }) => ({ key, scope, ...given(rest) })),
    },
    exit: toExit(state),
  }),
);
