import { defineState, ONWARD } from '../parts/state.ts';
import { given } from '../read/given.ts';
import { refuse } from '../read/reading.ts';
import { record } from '../read/record.ts';
import { list, needed, query, type Shape, transition } from '../read/shape.ts';

/** A condition that is left out is the whole data; an empty text is a slip. */
const condition: Shape<unknown> = (node, place, reading) => {
  if (node?.value === '') refuse(reading, node, 'condition required');
  return query(node, place, reading);
};

/** Goes on by the first condition that is true (workflow-language 10.6). */
export const choose = defineState(
  'switch',
  {
    conditions: needed(list(needed(record({ condition, ...ONWARD })), { as: 'conditions', slot: 'conditions' })),
    defaultTransform: query,
    defaultTransition: transition,
  },
  ({ conditions, defaultTransform, defaultTransition }) => ({
    work: {
      do: 'choose',
      conditions: conditions.map(given),
      otherwise: given({ transform: defaultTransform, transition: defaultTransition }),
    },
  }),
);
