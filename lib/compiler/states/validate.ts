import { omitUndefined } from '../../language/omit-undefined.ts';
import { required, text } from '../decoding/decoders.ts';
import { schema } from '../parts/schemas.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

/** Validates the data against a JSON Schema (workflow-language 10.8). */
export const validate = defineState(
  'validate',
  { schema: required(schema), subject: text, ...EXIT_FIELDS },
  ({ schema: decoded, subject, ...state }) => ({
    work: { do: 'validate', schema: decoded, ...omitUndefined({ subject }) },
    exit: toExit(state),
  }),
);
