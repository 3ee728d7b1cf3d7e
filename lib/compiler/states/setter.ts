import { omitUndefined } from '../../language/omit-undefined.ts';
import { reportInvalid } from '../decoding/context.ts';
import { anyText, createDecoder, list, query, required } from '../decoding/decoders.ts';
import { object } from '../decoding/object.ts';
import { scopeIn } from '../parts/scopes.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

/** The value; absent, it is the whole data. Empty text is rejected, because it would delete the variable. */
const value = createDecoder<unknown>({ kind: 'query', except: '' }, (node, field, context) => {
  if (node?.value === '') {
    const hint = () => 'to delete the variable, store {} or null by a query';
    reportInvalid(context, node, 'value required', hint);
  }
  return query(node, field, context);
});

/** Unknown fields are ignored here, as in the original (workflow-language 1.2). */
const variable = object(
  {
    scope: scopeIn(['instance', 'workflow', 'namespace', 'thread']),
    key: required(query),
    value,
    mimeType: anyText,
  },
  { isLenient: true },
);

/** Stores variables (workflow-language 10.10). */
export const setter = defineState(
  'setter',
  { variables: required(list(required(variable), { prefix: 'variables' })), ...EXIT_FIELDS },
  ({ variables, ...state }) => ({
    work: {
      do: 'write',
      variables: variables.map(({ key, scope, ...rest }) => ({ key, scope, ...omitUndefined(rest) })),
    },
    exit: toExit(state),
  }),
);
