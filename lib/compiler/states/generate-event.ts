import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { given } from '../read/given.ts';
import { record } from '../read/record.ts';
import { duration, freeMap, needed, query, type Shape, text, under } from '../read/shape.ts';

const event = record({
  type: needed(text),
  source: needed(text),
  data: query,
  datacontenttype: text,
  context: freeMap,
});

const delay: Shape<string | undefined> = (node, place, reading) => {
  return node?.value === 'immediate' ? node.value : duration(node, place, reading);
};

/** Sends an event into the namespace (workflow-language 10.14). */
export const generateEvent = defineState(
  'generateEvent',
  { event: needed(under(event)), delay, ...ONWARD },
  ({ event: { type, source, context, ...rest }, delay: wait, ...state }) => ({
    work: { do: 'emit', event: { type, source, context, ...given(rest) }, ...given({ delay: wait }) },
    exit: toExit(state),
  }),
);
