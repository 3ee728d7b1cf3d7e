import { omitUndefined } from '../../language/omit-undefined.ts';
import { reportInvalid } from '../decoding/context.ts';
import { createDecoder, list, query, required, transition } from '../decoding/decoders.ts';
import { object } from '../decoding/object.ts';
import { defineState, EXIT_FIELDS } from '../parts/state.ts';

/** The condition; absent, it is the whole data. Empty text is rejected. */
const condition = createDecoder<unknown>({ kind: 'query', except: '' }, (node, field, context) => {
  if (node?.value === '') reportInvalid(context, node, 'condition required');
  return query(node, field, context);
});

const branch = object({ condition, ...EXIT_FIELDS });

/** Continues with the exit of the first condition that is true (workflow-language 10.6). */
export const choose = defineState(
  'switch',
  {
    conditions: required(list(required(branch), { prefix: 'conditions', field: 'conditions' })),
    defaultTransform: query,
    defaultTransition: transition,
  },
  ({ conditions, defaultTransform, defaultTransition }) => ({
    work: {
      do: 'choose',
      conditions: conditions.map(omitUndefined),
      otherwise: omitUndefined({ transform: defaultTransform, transition: defaultTransition }),
    },
  }),
);
