import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { duration, needed } from '../read/shape.ts';

/** Pauses the run for a time (workflow-language 10.2). */
export const delay = defineState('delay', { duration: needed(duration), ...ONWARD }, (state) => ({
  work: { do: 'sleep', duration: state.duration },
  exit: toExit(state),
}));
