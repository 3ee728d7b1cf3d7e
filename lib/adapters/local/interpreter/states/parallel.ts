import { textWithin } from '../context/limits.ts';
import { completeWithResult, type StateHandler } from './handler.ts';

/** Runs all branches at the same time. The result is the list of their outputs. */
export const parallel: StateHandler = {
  events: { work: 1, result: 1 },
  enter: async (context) => {
    const total = context.state.branches.length;
    const input = context.has('Arguments')
      ? textWithin(context.limits.bytes, 'the arguments', await context.value('Arguments'))
      : context.thread.input;
    return { kind: 'fork', plan: { total, width: total, input } };
  },
  complete: completeWithResult,
};
