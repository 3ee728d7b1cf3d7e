import { createDecoder, list, required, text } from '../decoding/decoders.ts';
import { catchersOf, defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

const catchers = catchersOf('errors');

/** Transitions of its catch list are not checked, as in the original (workflow-language 1.7). */
const uncheckedCatchers = createDecoder(catchers.accepts, (node, field, context) =>
  catchers(node, field, { ...context, transitions: [] }),
);

/** Marks the run as failed and continues (workflow-language 10.7). */
export const error = defineState(
  'error',
  { error: required(text), message: required(text), args: list(text), catch: uncheckedCatchers, ...EXIT_FIELDS },
  (state) => ({
    work: { do: 'raise', error: state.error, message: state.message, args: state.args.map((arg) => arg ?? '') },
    exit: toExit(state),
  }),
);
