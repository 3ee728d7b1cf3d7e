import { duration, required } from '../decoding/decoders.ts';
import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

/** Waits for a time (workflow-language 10.2). */
export const delay = defineState('delay', { duration: required(duration), ...EXIT_FIELDS }, (state) => ({
  work: { do: 'sleep', duration: state.duration },
  exit: toExit(state),
}));
