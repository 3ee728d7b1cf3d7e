import { catchers, defineState, ONWARD, toExit } from '../parts/state.ts';
import { list, needed, type Shape, text } from '../read/shape.ts';

/** Its catch may lead nowhere: the original never looks at it (workflow-language 1.7). */
const loose: Shape<ReturnType<typeof catchers>> = (node, place, reading) =>
  catchers(node, place, { ...reading, transitions: [] });

/** Marks the run as failed and goes on (workflow-language 10.7). */
export const error = defineState(
  'error',
  { error: needed(text), message: needed(text), args: list(text), catch: loose, ...ONWARD },
  (state) => ({
    work: { do: 'raise', error: state.error, message: state.message, args: state.args.map((arg) => arg ?? '') },
    exit: toExit(state),
  }),
);
