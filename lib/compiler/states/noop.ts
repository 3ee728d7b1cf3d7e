import { defineState, EXIT_FIELDS, toExit } from '../parts/state.ts';

/** Has no work, but logs, transforms and continues as every state can (workflow-language 10.1). */
export const noop = defineState('noop', EXIT_FIELDS, (state) => ({ work: { do: 'nothing' }, exit: toExit(state) }));
