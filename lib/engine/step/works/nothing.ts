import type { Perform } from './work.ts';

/** Does nothing; the state has only a transform and a transition. */
export const nothing: Perform<'nothing'> = async () => undefined;
