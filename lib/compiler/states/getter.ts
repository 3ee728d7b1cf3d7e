import { omitUndefined } from '../../language/omit-undefined.ts';
import { list, query, required, text } from '../decoding/decoders.ts';
import { object } from '../decoding/object.ts';
import { scopeIn } from '../parts/scopes.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

const variable = object({
  scope: scopeIn(['instance', 'workflow', 'namespace', 'thread', 'system', 'file']),
  key: required(query),
  as: text,
});

/** Reads variables into `var` (workflow-language 10.9). */
export const getter = defineState(
  'getter',
  { variables: required(list(required(variable), { prefix: 'variables' })), ...EXIT_FIELDS },
  ({ variables, ...state }) => ({
    work: { do: 'read', variables: variables.map(({ key, scope, as }) => ({ key, scope, ...omitUndefined({ as }) })) },
    exit: toExit(state),
  }),
);
