import { type EvaluationContext, wholeNumber, wrongType } from '../context/evaluation-context.ts';
import { leaveWithInput, NO_EVENTS, type StateHandler } from './handler.ts';

/** Waits for a number of seconds, or until a timestamp. */
export const wait: StateHandler = {
  events: NO_EVENTS,
  enter: async (context) => ({ kind: 'wait', due: await dueTime(context) }),
  complete: leaveWithInput,
};

async function dueTime(context: EvaluationContext): Promise<number> {
  const seconds = await wholeNumber(context, 'Seconds', 0);
  return seconds === undefined ? timestamp(context) : context.clock.now() + seconds * 1000;
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

async function timestamp(context: EvaluationContext): Promise<number> {
  const value = await context.value('Timestamp');
  const time = typeof value === 'string' && RFC3339.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw wrongType(context, 'Timestamp', 'a time as in RFC 3339');
  return time;
}
